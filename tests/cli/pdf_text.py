"""What stands on the sheets of a PDF of Chromium's, a line for each run of text: pdf_text.py FILE"""

import re
import sys
import zlib

with open(sys.argv[1], "rb") as file:
    OBJECTS = {int(m[1]): m[2] for m in re.finditer(rb"(\d+) 0 obj(.*?)endobj", file.read(), re.S)}


def stream(number):
    body = OBJECTS[number]
    start = body.index(b"stream") + len(b"stream")
    return zlib.decompressobj().decompress(body[start:].lstrip(b"\r\n")).decode("latin1")


def characters(number):
    """What the glyphs of a font stand for."""
    found = {}
    reference = re.search(rb"/ToUnicode (\d+) 0 R", OBJECTS[number])
    text = stream(int(reference[1])) if reference else ""
    for block in re.findall(r"beginbfchar(.*?)endbfchar", text, re.S):
        for glyph, code in re.findall(r"<([0-9A-F]+)> <([0-9A-F]+)>", block):
            found[int(glyph, 16)] = bytes.fromhex(code).decode("utf-16-be")
    for block in re.findall(r"beginbfrange(.*?)endbfrange", text, re.S):
        for first, last, code in re.findall(r"<([0-9A-F]+)> <([0-9A-F]+)> <([0-9A-F]+)>", block):
            for glyph in range(int(first, 16), int(last, 16) + 1):
                found[glyph] = chr(int(code, 16) + glyph - int(first, 16))
    return found


def texts(page):
    fonts = {name.decode(): characters(int(number))
             for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", page)}
    font, run = {}, ""
    for m in re.finditer(r"/(F\d+) [\d.]+ Tf|<([0-9A-F]+)> Tj|\bET\b",
                         stream(int(re.search(rb"/Contents (\d+) 0 R", page)[1]))):
        if m[1]:
            font = fonts[m[1]]
        elif m[2]:
            run += "".join(font.get(int(m[2][i:i + 4], 16), "?") for i in range(0, len(m[2]), 4))
        else:
            yield run
            run = ""


for body in OBJECTS.values():
    if re.search(rb"/Type /Page\b", body):
        for line in texts(body):
            print(line)
