import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readBody, readInParts } from '../../../src/platform/net/read-body.ts'

/** A body that comes byte by byte, all of them at once. */
function byteByByte(bytes: number): Readable {
  let left = bytes
  return new Readable({
    ...readInParts(),
    read() {
      while (left > 0 && this.push('x')) left--
      if (left === 0) this.push(null)
    },
  })
}

it('others are served while a body of small chunks is read', async () => {
  let turns = 0
  let running = true
  const count = () => {
    turns++
    if (running) setImmediate(count)
  }
  setImmediate(count)
  const body = await readBody(byteByByte(400_000), '', { maxBytes: 1_000_000, whenLarger: 'refuse' })
  running = false
  expect(body.length).toBeGreaterThanOrEqual(400_000)
  expect(turns).toBeGreaterThan(20)
})
