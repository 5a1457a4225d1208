import { describe, expect, it } from 'vitest'
import { atOnce, type Steps } from '../../../src/platform/concurrency/steps.ts'
import { findEvent } from '../../../src/platform/net/find-event.ts'

/** The data of all events of a stream. */
function dataIn(stream: string): string[] {
  const found: string[] = []
  function* note(data: string): Steps<undefined> {
    yield
    found.push(data)
  }
  atOnce(findEvent(stream, note))
  return found
}

describe('the events of a stream', () => {
  it.each([
    ['', []],
    ['data: 1\n\ndata:2\n\n', ['1', '2']],
    ['data: 1\r\n\r\n\r\ndata:2', ['1', '2']],
    ['event: message\nid: 7\ndata: {\ndata: }\n\n', ['{\n}']],
    [': ping\n\ndata:\n\nretry: 3\n\ndata: 1\n', ['1']],
    ['data: 1\ndata: 2\nevent: end', ['1\n2']],
  ])('%j', (stream, data) => {
    expect(dataIn(stream)).toEqual(data)
  })

  it('are read up to the one that is looked for', () => {
    function* find(data: string): Steps<string | undefined> {
      yield
      return data === '2' ? 'found' : undefined
    }
    expect(atOnce(findEvent('data: 1\n\ndata: 2\n\ndata: 3\n\n', find))).toBe('found')
  })

  it.each([
    ['lines of one event', 'data: 1\n'.repeat(100_000), 390],
    ['lines without data', 'x\n'.repeat(100_000), 390],
    ['events', 'data: 1\n\n'.repeat(9_000), 18_000],
  ])('are read in steps: %s', (_what, stream, least) => {
    function* none(): Steps<undefined> {
      yield
    }
    const steps = findEvent(stream, none)
    let count = 0
    while (!steps.next().done) count += 1
    expect(count).toBeGreaterThanOrEqual(least)
  })
})
