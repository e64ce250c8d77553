#include "rig.h"
int main(int c,char**v){rig_main_init(&c,&v);return rig_main_run();}
