# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Names of cut-outs: from file names and descriptions to the phrases an object answers to."""

import re

ARTICLES = ("a ", "an ", "the ", "some ", "another ", "our ", "two ", "big ", "very small ")
CONTAINERS = ("pair of ", "bunch of ", "cluster of ", "head of ", "string of ", "quarter of ",
              "couple of ", "tube of ", "baby of a ", "baby of ")

# Further phrases an object answers to, by the last word of its name or by its whole name.
ALSO = {
    "kitten": ["cat"], "blackcat": ["black cat", "cat"], "bunny": ["rabbit"], "lamb": ["sheep"],
    "ram": ["sheep"], "hen": ["chicken"], "chick": ["bird"], "rooster": ["chicken"],
    "drake": ["duck"], "gander": ["goose"], "doe": ["deer"], "bull": ["cow"], "ox": ["cow"],
    "puppy": ["dog"], "poodle": ["dog"], "orca": ["whale"], "dromedary": ["camel"],
    "zebu": ["cow"], "chimpanzee": ["ape"], "gorilla": ["ape"], "tucan": ["toucan"],
    "ladybug": ["ladybird"], "lady beetle": ["ladybug", "ladybird"], "rhino": ["rhinoceros"],
    "lightbulb": ["light bulb"], "kiwifruit": ["kiwi"], "motorbike": ["motorcycle"],
    "motor bike": ["motorcycle", "motorbike"], "bicycle": ["bike"], "firetruck": ["fire truck"],
    "fire engine": ["fire truck", "truck"], "lorry": ["truck"], "automobile": ["car"],
    "sedan": ["car"], "taxi": ["car"], "beetle car": ["car"], "vw beetle": ["car"],
    "plane": ["airplane"], "airplane": ["plane"], "sailboat": ["boat"], "tugboat": ["boat"],
    "speedboat": ["boat"], "locomotive": ["train"], "fedora": ["hat"], "sombrero": ["hat"],
    "mug": ["cup"], "teacup": ["cup"], "hot beverage": ["cup"], "ball point pen": ["pen"],
    "headstone": ["gravestone"], "tombstone": ["gravestone"], "grave marker": ["gravestone"],
    "mandarin orange": ["mandarin"], "tangerine": ["mandarin"], "sheaf of rice": ["rice"],
    "steaming bowl": ["bowl"], "violin": ["musical instrument"], "guitar": ["musical instrument"],
    "trumpet": ["musical instrument"], "drum": ["musical instrument"],
    "cello": ["musical instrument"], "piano": ["musical instrument"],
    "cougar": ["puma"], "wapiti": ["deer"], "caribou": ["reindeer", "deer"],
    "wild boars": ["wild boar"], "cherries": ["cherry"], "blueberries": ["blueberry"],
    "guineafowl": ["guinea fowl"], "mountaingoat": ["goat"], "slot machine": [],
    "red-nosed reindeer": ["reindeer"], "dolphinfish": ["fish"],
}
# Names without a thing one could point at, or that nobody would type.
DROP = {
    "adeenia", "anthoorium", "appooppanthady", "bolsom", "chemparathi", "chuvanna plastic poo",
    "xanthia", "alien tree", "red", "flower covered", "explosion", "tender carries water", "tux",
    "tux tractor", "mine", "magic stones", "inn", "tavern", "hair manga", "female head", "head",
    "hunter", "doctor", "woman dancing", "cave entrance", "cooking", "curry and rice", "seat", "metro",
    "oden", "dango", "custard", "bust", "penguin with spider", "spider computer", "spider dancing",
    "spider playing soccer", "nurse", "man", "girl", "scientist", "horse racing", "knitting",
    "shop", "sign", "train sign", "white star petunia", "purple pigface flower", "fishery", "farm",
    "fountain of youth", "gate", "stable", "eddie copter", "bathyscape", "racing motorcycle",
    "bus stop", "cut of meat", "meat on bone", "bento box", "stuffed flatbread", "rice cracker",
    "clinking beer mugs", "shortcake", "womans clothes", "chequered flag", "bolted lettuce",
    "apollo lander", "voyager-2 deep-space probe", "thyme plant", "pili nut tree", "holm oak",
    "chinese junk", "inukshuk", "rugby goal posts", "spacewalk", "ginger 'root'", "fire", "moustache",
    "closed book", "package", "nut and bolt", "shaved ice", "roasted sweet potato", "lightning bolt",
    "small airplane", "articulated lorry", "trolleybus", "recreational vehicle", "f-22 raptor",
    "albino peahen", "silver gull", "adelaide rosella", "moon wrasse", "coral trout", "bluegroper",
    "freshwater mussel", "abalone", "pink dream house", "swiss house", "wooden toy", "hard candy",
    "confetti", "fireworks", "huge dump truck", "computer", "hunting", "dumper", "tanker", "boxcar",
    "caboose", "passenger carriage", "poultry leg", "nutcracker", "expresso", "wig", "mermaid",
    "gas cylinder", "bulb ornament", "rice ball", "japanese doll", "indian blackbuck", "pot of food",
    "emperor tamarin", "highlighting pen", "high-speed train", "railway car", "teacup without handle",
    "black dress", "top", "bell bottom pants", "mustang airplane", "wheelie bin", "home compost bin",
}
# Names that would mislead: idioms of Unicode, sentences, parts.
RENAME = {
    "ripe": "tomato", "football used": "football", "american football": "football", "f car": "race car",
    "racing car": "race car", "very poisonous lionfish": "lionfish", "eared rabbit": "rabbit",
    "chick hatched": "chick", "chick in egg": "chick", "pengwin": "penguin", "manga eye": "eye",
    "brown eye": "eye", "blue eye": "eye", "green eye": "eye", "yellow eye": "eye",
    "boar": "wild boar", "blowfish": "pufferfish", "father christmas": "santa claus",
    "santa": "santa claus", "earth globe americas": "globe", "earth globe europe-africa": "globe",
    "earth globe asia-australia": "globe", "eyeglasses": "glasses", "circus": "circus tent",
    "jack-o-lantern": "jack-o'-lantern", "grave marker": "gravestone", "headstone": "gravestone",
    "cemetery marker": "gravestone", "monument stone": "gravestone", "tombstone": "gravestone",
    "wrapped present": "wrapped gift", "dromedary camel": "dromedary", "bactrian camel": "camel",
    "grannysmith": "green apple", "granny smith apple": "green apple", "fuji apple": "red apple",
    "sierra beauty apple": "apple", "avocado fruit": "avocado", "cherimoya fruit": "cherimoya",
    "brown potato": "potato", "lit candle": "candle", "tealight candle": "candle",
    "colorful rooster": "rooster", "brown hen": "hen", "sail boat": "sailboat", "t-shirt": "t shirt",
    "trophy cup": "trophy", "large metal mallet": "mallet", "large paintbrush": "paintbrush",
    "plumber's wrench": "wrench", "adjustable wrench": "wrench", "electric kettle": "kettle",
    "uk post box": "post box", "tamworth pig": "pig", "dove of peace": "dove", "tram car": "tram",
    "house building": "house", "european castle": "castle", "fairytale castle": "castle",
    "colorful toy tugboat": "tugboat", "microwave oven": "microwave", "laptop computer": "laptop",
    "personal computer": "laptop", "knight's helmet": "helmet", "elf's hat": "elf hat",
    "red high-heeled shoe": "high-heeled shoe", "high-heeled shoe": "high-heeled shoe",
    "silver garbage can": "garbage can", "wizard's hat": "wizard hat", "iso bus": "bus",
    "deciduous tree": "tree", "evergreen tree": "fir tree", "glass of water": "glass of water",
    "sedan car": "car", "open scissors": "scissors", "closed scissors": "scissors",
    "monarch butterfly": "butterfly", "old-fashioned clothespin": "clothespin",
    "modern clothespin": "clothespin", "bunny head": "bunny", "singing dinosaur": "dinosaur",
    "camera with flash": "camera", "digital camera": "camera", "mans shoe": "shoe",
    "womans boots": "boot", "womans hat": "hat", "womans sandal": "sandal", "chocolate easter egg": "easter egg",
    "vw beetle": "beetle car", "cherries": "cherry", "wild boars": "wild boar", "honeybee": "bee",
    "lady beetle": "ladybug", "motor bike": "motorbike", "tucan": "toucan", "biro": "pen",
    "floppy-eared bunny": "bunny", "big eared rabbit": "rabbit", "little rabbit": "rabbit",
    "baby sheep": "lamb", "gnu-baby": "gnu", "sitting gnu": "gnu", "blue gnu": "gnu",
    "gnu baby stand": "gnu", "gnu baby": "gnu", "sleeping capybara": "capybara",
    "male black rhino": "rhinoceros", "stripey fish": "striped fish", "european bear": "brown bear",
    "chipmunk": "squirrel", "spouting whale": "whale", "tropical fish": "tropical fish",
    "oncoming automobile": "car", "automobile": "car", "oncoming bus": "bus", "oncoming taxi": "taxi",
    "oncoming police car": "police car", "delivery truck": "delivery truck", "aubergine": "eggplant",
    "ear of maize": "corn", "maize": "corn", "ear of rice": "rice", "bird": "bird",
    "front-facing baby chick": "chick", "baby chick": "chick", "hatching chick": "chick",
    "banknote with dollar sign": "banknote", "electric light bulb": "light bulb",
    "white kitten": "kitten", "happy lion": "lion", "happy snail": "snail", "hiking boot": "boot",
    "red headed cep": "mushroom", "ball point pen": "pen", "tsuge": "tree",
    "croissant": "croissant", "slice of pizza": "pizza", "quarter of pizza": "pizza",
    "steam locomotive": "locomotive", "lightbulb": "light bulb", "kiwifruit": "kiwi",
}
SINGULAR_S = {"glass", "bus", "grass", "cactus", "octopus", "walrus", "rhinoceros", "hippopotamus",
              "dress", "cross", "compass", "citrus", "hibiscus", "asparagus", "abacus", "chess"}


def from_description(text: str, stem: str) -> str:
    """Name of an object out of one line of description, or of its file name where that is prose."""
    line = text.strip().lower().replace("\u2019", "'")
    line = re.sub(r"[\u201c\u201d\"]", "", line)
    line = re.sub(r"\(.*?\)", "", line)
    line = re.split(r"[.!,;:?\u2014]| from | for | that | with | at | in | worn | resembles | and ",
                    line)[0].strip()
    for _ in range(2):
        for word in ARTICLES + CONTAINERS:
            if line.startswith(word):
                line = line[len(word):].strip()
    words = line.split()
    started = text.strip().lower().startswith(ARTICLES)
    if not words or len(words) > 3 or not started:
        line = from_stem(stem)
    return RENAME.get(line, line)


def from_stem(stem: str) -> str:
    """Words of a file name without digits and separators."""
    name = re.sub(r"([a-z])([A-Z])", r"\1 \2", stem)
    name = re.sub(r"[_\-0-9]+", " ", name).lower()
    name = re.sub(r"\b(photo|small|outline|new|old|left|right|iso|t|xmas tp|silo|profile)\b", " ", name)
    name = " ".join(name.split())
    return RENAME.get(name, name)


def head(name: str) -> str:
    """Head noun: the word before "of", else the last word."""
    return name.split(" of ")[0].split()[-1]


def phrases(name: str, extra: list[str] = ()) -> list[str]:
    """All phrases an object called `name` answers to, the full name first."""
    found = [name]
    for phrase in (head(name), *ALSO.get(name, []), *ALSO.get(head(name), []), *extra):
        if phrase and phrase not in found:
            found.append(phrase)
    for phrase in list(found):
        for more in ALSO.get(phrase, []):
            if more not in found:
                found.append(more)
    return found
