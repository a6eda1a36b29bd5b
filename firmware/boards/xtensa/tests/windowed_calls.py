"""Makes windowed calls of a linked test's CALL0s, as xtask/src/images/windowed.rs does for images."""
import struct
import sys

path = sys.argv[1]
with open(path, "rb") as file:
    data = bytearray(file.read())
table, = struct.unpack_from("<I", data, 0x20)
count, names = struct.unpack_from("<HH", data, 0x30)
sections = [struct.unpack_from("<10I", data, table + 40 * k) for k in range(count)]


def name(section):
    start = sections[names][4] + section[0]
    return bytes(data[start:data.index(0, start)]).decode()


calls, = [section for section in sections if name(section) == ".debug_windowed_calls"]
for at in range(calls[4], calls[4] + calls[5], 8):
    address, window = struct.unpack_from("<II", data, at)
    if address == 0:
        continue
    code, = [s for s in sections if s[1] == 1 and s[2] & 2 and s[3] <= address < s[3] + s[5]]
    place = code[4] + address - code[3]
    if data[place] & 0x3F != 5:
        sys.exit(f"no call at {address:#x}")
    data[place] |= window << 4
with open(path, "wb") as file:
    file.write(data)
