/** A WebM file (RFC 8794, Matroska) of frames that are all the same VP8 key frame, one a second. */
export function webmOf(frame: Buffer, { width, height, seconds }: { width: number; height: number; seconds: number }): Buffer {
  const clusters = Array.from({ length: seconds }, (_, second) =>
    // Timecodes are milliseconds; a simple block is its track, its time in the cluster and its flags: a key frame.
    element('1f43b675', [
      element('e7', number(second * 1000)),
      element('a3', Buffer.concat([Buffer.from('81000080', 'hex'), frame])),
    ]),
  )
  const duration = Buffer.alloc(8)
  duration.writeDoubleBE(seconds * 1000)
  const info = element('1549a966', [
    element('2ad7b1', number(1_000_000)),
    element('4489', duration),
    element('4d80', Buffer.from('test')),
    element('5741', Buffer.from('test')),
  ])
  const video = element('e0', [element('b0', number(width)), element('ba', number(height))])
  const track = element('ae', [
    element('d7', number(1)),
    element('73c5', number(1)),
    element('83', number(1)),
    element('86', Buffer.from('V_VP8')),
    video,
  ])
  const header = element('1a45dfa3', [
    element('4286', number(1)),
    element('42f7', number(1)),
    element('42f2', number(4)),
    element('42f3', number(8)),
    element('4282', Buffer.from('webm')),
    element('4287', number(2)),
    element('4285', number(2)),
  ])
  return Buffer.concat([header, element('18538067', [info, element('1654ae6b', track), ...clusters])])
}

/** The VP8 bitstream of a lossy WebP image without transparency (RFC 9649, 2.5). */
export function keyFrameOf(webp: Buffer): Buffer {
  const at = webp.indexOf('VP8 ', 12, 'latin1')
  if (at < 0) throw new Error('the image is no simple lossy WebP')
  return webp.subarray(at + 8, at + 8 + webp.readUInt32LE(at + 4))
}

function element(id: string, content: Buffer | readonly Buffer[]): Buffer {
  const body = Buffer.isBuffer(content) ? content : Buffer.concat(content)
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(body.length) | (1n << 56n))
  return Buffer.concat([Buffer.from(id, 'hex'), size, body])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
