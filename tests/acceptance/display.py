# SPDX-License-Identifier: MIT
"""An X server without a screen (Xvfb), keys and mouse by its extension XTest, and pictures of what it shows.

SDL reads keys that XTest makes as those of a keyboard, which events pushed into a program are not.
"""

import ctypes
import os
import shutil
import struct
import subprocess
import sys
import time
import zlib

from support import Failed

WIDTH, HEIGHT = 1280, 800
POINTER_ROOT = 1
ALL_PLANES = (1 << 64) - 1
Z_PIXMAP = 2


def missing():
    """What is not here, None: nothing."""
    if not shutil.which("Xvfb"):
        return "no Xvfb"
    try:
        ctypes.CDLL("libX11.so.6")
        ctypes.CDLL("libXtst.so.6")
    except OSError as problem:
        return str(problem)
    return None


class XImage(ctypes.Structure):
    """The beginning of Xlib's."""

    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int), ("format", ctypes.c_int),
                ("data", ctypes.c_void_p), ("byte_order", ctypes.c_int), ("bitmap_unit", ctypes.c_int),
                ("bitmap_bit_order", ctypes.c_int), ("bitmap_pad", ctypes.c_int), ("depth", ctypes.c_int),
                ("bytes_per_line", ctypes.c_int)]


class Picture:
    """Rows of red, green and blue bytes."""

    def __init__(self, width, height, rows):
        self.width, self.height, self.rows = width, height, rows

    def __eq__(self, other):
        return self.rows == other.rows

    def colours(self):
        """How many there are, in every eighth row."""
        return len({row[i:i + 3] for row in self.rows[::8] for i in range(0, len(row), 3)})

    def write(self, path):
        def chunk(name, data):
            return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        body = zlib.compress(b"".join(b"\0" + row for row in self.rows), 9)
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b""))


class Display:
    """One X server. Use it as a context: it ends the server."""

    def __init__(self, width=WIDTH, height=HEIGHT):
        self.width, self.height = width, height

    def __enter__(self):
        self.x = ctypes.CDLL("libX11.so.6")
        self.test = ctypes.CDLL("libXtst.so.6")
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.x.XDefaultRootWindow.restype = ctypes.c_ulong
        self.x.XStringToKeysym.restype = ctypes.c_ulong
        self.x.XGetImage.restype = ctypes.POINTER(XImage)
        reads, writes = os.pipe()
        words = ["Xvfb", "-displayfd", str(writes), "-screen", "0", f"{self.width}x{self.height}x24", "-nolisten", "tcp"]
        self.process = subprocess.Popen(words, pass_fds=(writes,), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(writes)
        with os.fdopen(reads) as answer:
            number = answer.readline().strip()
        if not number:
            raise Failed("Xvfb did not start")
        self.name = ":" + number
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(self.name.encode()))
        self.root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.display))
        return self

    def __exit__(self, *_):
        self.x.XCloseDisplay(self.display)
        self.process.terminate()
        self.process.wait()

    def flush(self):
        self.x.XSync(self.display, 0)

    def point(self, x, y):
        """Move the mouse; without a window manager the window below it has the keys."""
        self.test.XTestFakeMotionEvent(self.display, -1, int(x), int(y), ctypes.c_ulong(0))
        self.x.XSetInputFocus(self.display, ctypes.c_ulong(POINTER_ROOT), POINTER_ROOT, ctypes.c_ulong(0))
        self.flush()

    def button(self, is_down, number=1):
        self.test.XTestFakeButtonEvent(self.display, number, int(is_down), ctypes.c_ulong(0))
        self.flush()

    def click(self, x, y):
        self.point(x, y)
        time.sleep(0.1)
        self.button(True)
        time.sleep(0.1)
        self.button(False)

    def hold(self, key, is_down):
        """Press a key, or let it go. Its name is X11's, such as Return or a."""
        symbol = ctypes.c_ulong(self.x.XStringToKeysym(key.encode()))
        code = self.x.XKeysymToKeycode(self.display, symbol)
        if code == 0:
            raise Failed(f"no key is called {key}")
        self.test.XTestFakeKeyEvent(self.display, code, int(is_down), ctypes.c_ulong(0))
        self.flush()

    def press(self, *keys):
        """One key after the other."""
        for key in keys:
            self.hold(key, True)
            time.sleep(0.04)
            self.hold(key, False)
            time.sleep(0.06)

    def clipboard(self, text):
        """Let the clipboard hold a text, as long as the process that is returned runs: another program's, which asks SDL."""
        script = """if True:
            import ctypes, sys
            sdl = ctypes.CDLL("libSDL2-2.0.so.0")
            sdl.SDL_CreateWindow.restype = ctypes.c_void_p
            hidden = 8
            ok = sdl.SDL_Init(0x20) == 0 and sdl.SDL_CreateWindow(b"clipboard", 0, 0, 9, 9, hidden)
            ok = ok and sdl.SDL_SetClipboardText(sys.argv[1].encode()) == 0
            print(bool(ok), flush=True)
            while ok:
                sdl.SDL_PumpEvents()
                sdl.SDL_Delay(10)"""
        owner = subprocess.Popen([sys.executable, "-c", script, text], env={**os.environ, "DISPLAY": self.name},
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if owner.stdout.readline().strip() != "True":
            owner.kill()
            raise Failed("the clipboard takes no text")
        return owner

    def picture(self):
        """What the screen shows."""
        image = self.x.XGetImage(self.display, self.root, 0, 0, self.width, self.height, ctypes.c_ulong(ALL_PLANES), Z_PIXMAP)
        at = image.contents
        data = ctypes.string_at(at.data, at.bytes_per_line * at.height)
        rows = []
        for y in range(at.height):
            row = data[y * at.bytes_per_line:y * at.bytes_per_line + 4 * at.width]
            out = bytearray(3 * at.width)
            out[0::3], out[1::3], out[2::3] = row[2::4], row[1::4], row[0::4]
            rows.append(bytes(out))
        picture = Picture(at.width, at.height, rows)
        self.x.XDestroyImage(image)
        return picture

    def wait_for(self, is_so, what, patience_s=60):
        """Look until it shows what is wanted."""
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            picture = self.picture()
            if is_so(picture):
                return picture
            time.sleep(0.05)
        raise Failed(f"the screen never showed {what}")
