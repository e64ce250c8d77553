/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Properties set from other threads while frames go through. */
#include "rig.h"

#include <string.h>

#define FRAMES 1000

typedef struct
{
  Rig *rig;
  gint stop;
  GMutex lock;                  /* of the next */
  GHashTable *colours;          /* of a revision, as announced on the bus */
} Flood;

/* Of one phrase, and of forty that all name the other colour. */
static gchar *
many_phrases (const char *colour)
{
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < 40; i++)
    g_string_append_printf (text, "%s %c%c. ", colour, 'a' + i / 26,
        'a' + i % 26);
  return g_string_free (text, FALSE);
}

static gpointer
toggle_prompts (gpointer data)
{
  Flood *flood = data;
  g_autofree gchar *many = many_phrases ("blue");
  guint i;

  for (i = 0; !g_atomic_int_get (&flood->stop); i++) {
    g_object_set (flood->rig->element, "prompt", i % 2 ? "red." : many, NULL);
    g_usleep (500);
  }
  return NULL;
}

static gpointer
toggle_others (gpointer data)
{
  Flood *flood = data;
  guint i;

  for (i = 0; !g_atomic_int_get (&flood->stop); i++) {
    GstStructure *stats = NULL;
    g_autofree gchar *prompt = NULL;

    g_object_set (flood->rig->element, "box-threshold", i % 2 ? 0.3f : 0.4f,
        "text-threshold", i % 3 ? 0.2f : 0.3f, "nms", i % 3, "max-detections",
        10 + i % 100, "metadata", 2 + i % 2, NULL);
    g_object_get (flood->rig->element, "stats", &stats, "prompt", &prompt,
        NULL);
    gst_structure_free (stats);
    g_usleep (300);
  }
  return NULL;
}

/* Keeps what each prompt is announced as, and lets go of the message. */
static GstBusSyncReply
note_prompt (GstBus * bus, GstMessage * message, gpointer data)
{
  const GstStructure *structure = gst_message_get_structure (message);
  Flood *flood = data;
  guint64 revision;

  if (gst_message_has_name (message, "groundingdino-prompt")) {
    const gchar *text = gst_structure_get_string (structure, "prompt");

    g_assert_true (gst_structure_get_uint64 (structure, "revision", &revision));
    g_mutex_lock (&flood->lock);
    g_assert_true (g_hash_table_insert (flood->colours,
            g_memdup2 (&revision, sizeof revision),
            (gpointer) (g_str_has_prefix (text, "red") ? "red" : "blue")));
    g_mutex_unlock (&flood->lock);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* All regions of a frame are of one prompt, either the one red, or blues. */
static guint64
check_frame (GstBuffer * buffer, const gchar ** colour)
{
  gpointer state = NULL;
  guint64 revision = 0;
  GstMeta *meta;

  *colour = NULL;
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) != NULL) {
    GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *) meta;
    GstStructure *params =
        gst_video_region_of_interest_meta_get_param (roi, "detection");
    const gchar *label = gst_structure_get_string (params, "label");
    const gchar *own_colour = g_str_has_prefix (label, "red") ? "red" : "blue";
    guint64 own;

    g_assert_true (gst_structure_get_uint64 (params, "revision", &own));
    if (revision == 0)
      revision = own;
    g_assert_cmpuint (own, ==, revision);
    g_assert_cmpstr (label, ==, g_quark_to_string (roi->roi_type));
    if (*colour == NULL)
      *colour = own_colour;
    g_assert_cmpstr (*colour, ==, own_colour);
    if (g_str_equal (own_colour, "red")) {
      g_assert_cmpuint (roi->x, <, 80);
    } else {
      g_assert_true (g_str_has_prefix (label, "blue "));
      g_assert_cmpuint (roi->x, >=, 60);
    }
  }
  g_assert_nonnull (*colour);
  return revision;
}

/* What is announced under a revision is what frames of it are of. Setting is
 * before telling, so a frame may be a moment early. */
static void
check_announced (Flood * flood, guint64 revision, const gchar * colour)
{
  const gchar *announced = NULL;

  for (guint i = 0; announced == NULL; i++) {
    g_assert_cmpuint (i, <, 10000);
    g_mutex_lock (&flood->lock);
    announced = g_hash_table_lookup (flood->colours, &revision);
    g_mutex_unlock (&flood->lock);
    if (announced == NULL)
      g_usleep (1000);
  }
  g_assert_cmpstr (colour, ==, announced);
}

static void
test_flood (void)
{
  static const Patch patches[] = {
    {"red", 10, 10, 40, 40}, {"blue", 80, 60, 40, 40}
  };
  static const GdinoFakeOptions options = {
    .width = 64,
    .height = 64,
    .text_tokens = 256,
    .queries = 64
  };
  GstElement *element = rig_element_new ("red.");
  Flood flood = { 0 };
  GThread *prompts, *others;
  guint i, n_red = 0, n_blue = 0;
  guint64 revision, last_revision = 0;
  g_autofree gchar *last = NULL;

  g_object_set (element, "model", rig_package_new (&options), NULL);
  g_mutex_init (&flood.lock);
  flood.colours = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
      NULL);
  flood.rig = rig_new_off_bench (element);
  gst_bus_set_sync_handler (flood.rig->bus, note_prompt, &flood, NULL);
  flood.rig->harness = gst_harness_new_with_element (element, "sink", "src");
  rig_set_caps (flood.rig, "RGB,width=160,height=120");
  prompts = g_thread_new ("prompts", toggle_prompts, &flood);
  others = g_thread_new ("others", toggle_others, &flood);
  for (i = 0; i < FRAMES || n_red == 0 || n_blue == 0; i++) {
    GstBuffer *out = rig_show (flood.rig, patches, 2);
    const gchar *colour;

    revision = check_frame (out, &colour);
    check_announced (&flood, revision, colour);
    g_assert_cmpuint (revision, >=, last_revision);
    last_revision = revision;
    n_red += g_str_equal (colour, "red");
    n_blue += g_str_equal (colour, "blue");
    gst_buffer_unref (out);
  }
  g_atomic_int_set (&flood.stop, 1);
  g_thread_join (prompts);
  g_thread_join (others);
  g_test_message ("%u frames red, %u blue", n_red, n_blue);

  g_object_set (element, "prompt", "last.", NULL);
  g_object_get (element, "prompt", &last, NULL);
  g_assert_cmpstr (last, ==, "last.");
  gst_bus_set_sync_handler (flood.rig->bus, NULL, NULL, NULL);
  rig_free (flood.rig);
  g_hash_table_unref (flood.colours);
  g_mutex_clear (&flood.lock);
}

/* Two threads set at once: what g_object_get says last is what runs. */
static gpointer
set_many (gpointer data)
{
  GstElement *element = ((gpointer *) data)[0];
  const char *prompt = ((gpointer *) data)[1];
  guint i;

  for (i = 0; i < 300; i++)
    g_object_set (element, "prompt", prompt, NULL);
  return NULL;
}

static void
test_last_one_wins (void)
{
  static const Patch patches[] = {
    {"red", 10, 10, 40, 40}, {"blue", 80, 60, 40, 40}
  };
  guint i;

  for (i = 0; i < 10; i++) {
    Rig *rig = rig_new ("green.", "RGB,width=160,height=120");
    gpointer a[] = { rig->element, (gpointer) "red." };
    gpointer b[] = { rig->element, (gpointer) "blue." };
    GThread *one = g_thread_new ("a", set_many, a);
    GThread *two = g_thread_new ("b", set_many, b);
    g_autofree gchar *last = NULL;
    GstBuffer *out;

    g_thread_join (one);
    g_thread_join (two);
    g_object_get (rig->element, "prompt", &last, NULL);
    out = rig_show (rig, patches, 2);
    g_assert_cmpuint (roi_count (out), ==, 1);
    g_assert_nonnull (roi_of (out, g_str_equal (last, "red.") ? "red" :
            "blue"));
    gst_buffer_unref (out);
    rig_free (rig);
  }
}

/* A long text that takes its time to split does not replace a short one that
 * was set after it and is ready first. */
static gpointer
set_one (gpointer data)
{
  gpointer *args = data;

  g_atomic_int_set ((gint *) args[2], 1);
  g_object_set (args[0], "prompt", args[1], NULL);
  g_atomic_int_set ((gint *) args[2], 2);
  return NULL;
}

static void
test_slow_one_first (void)
{
  static const Patch patches[] = {
    {"red", 10, 10, 40, 40}, {"blue", 80, 60, 40, 40}
  };
  Rig *rig = rig_new ("green.", "RGB,width=160,height=120");
  GString *text = g_string_new ("blue. ");
  gpointer args[3] = { rig->element, NULL, NULL };
  g_autofree gchar *last = NULL;
  gboolean overtaken;
  gint stage = 0;
  GThread *thread;
  GstBuffer *out;

  while (text->len < 1000000)
    g_string_append (text, "black cat dog. ");
  args[1] = text->str;
  args[2] = &stage;
  thread = g_thread_new ("slow", set_one, args);
  do {
    g_free (last);
    g_object_get (rig->element, "prompt", &last, NULL);
  } while (g_str_equal (last, "green."));
  g_object_set (rig->element, "prompt", "red.", NULL);
  overtaken = g_atomic_int_get (&stage) == 1;
  g_thread_join (thread);
  out = rig_show (rig, patches, 2);
  g_assert_cmpuint (roi_count (out), ==, 1);
  g_assert_nonnull (roi_of (out, "red"));
  gst_buffer_unref (out);
  if (!overtaken)
    g_test_message ("the long text was ready first after all");
  g_string_free (text, TRUE);
  rig_free (rig);
}

/* A setter does not wait for the model. */
static gpointer
push_one (gpointer data)
{
  gst_buffer_unref (rig_show (data, NULL, 0));
  return NULL;
}

static void
test_setter_does_not_wait (void)
{
  Rig *rig = rig_new ("red.", "RGB,width=160,height=120");
  const gint runs = gdino_fake_get (frame_runs);
  GThread *thread;
  gint64 begin;

  gdino_fake_set (delay_us, 2000000);
  thread = g_thread_new ("push", push_one, rig);
  while (gdino_fake_get (frame_runs) == runs)
    g_usleep (1000);
  begin = g_get_monotonic_time ();
  g_object_set (rig->element, "prompt", "blue.", "box-threshold", 0.5f, NULL);
  stat_of (rig->element, "text-runs");
  g_assert_cmpint (g_get_monotonic_time () - begin, <, G_USEC_PER_SEC);
  g_assert_cmpint (gdino_fake_get (running), ==, 1);
  g_thread_join (thread);
  gdino_fake_set (delay_us, 0);
  rig_free (rig);
}

/* An application that sets the prompt from a message handler: nothing is
 * posted with a lock held. */
static GstBusSyncReply
answer (GstBus * bus, GstMessage * message, gpointer data)
{
  gint *left = data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT && --*left > 0) {
    g_autofree gchar *prompt = NULL;
    GstElement *element = GST_ELEMENT (GST_MESSAGE_SRC (message));

    g_object_get (element, "prompt", &prompt, NULL);
    g_object_set (element, "prompt", "blue.", "iou-threshold", 0.5f, NULL);
    gst_structure_free (gst_structure_copy (gst_message_get_structure
            (message)));
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
test_set_from_handler (void)
{
  Rig *rig = rig_new ("red.", "RGB,width=160,height=120");
  gint left = 3;

  gst_bus_set_sync_handler (rig->bus, answer, &left, NULL);
  g_object_set (rig->element, "prompt", "green.", NULL);
  g_assert_cmpint (left, ==, 0);
  gst_bus_set_sync_handler (rig->bus, NULL, NULL, NULL);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/threads/flood", test_flood);
  g_test_add_func ("/threads/last-one-wins", test_last_one_wins);
  g_test_add_func ("/threads/slow-one-first", test_slow_one_first);
  g_test_add_func ("/threads/setter-does-not-wait", test_setter_does_not_wait);
  g_test_add_func ("/threads/set-from-handler", test_set_from_handler);
  return rig_main_run ();
}
