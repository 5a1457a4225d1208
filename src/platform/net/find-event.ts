import type { Steps } from '../concurrency/steps.ts'

/** Events with data of one stream: what a tool says of its progress, and the answer. */
const MOST_EVENTS = 10_000
/** Lines of one stream: four for each event, and an answer that is indented. */
const MOST_LINES = 200_000
/** Lines between two pauses: some tenths of a millisecond. */
const LINES_OF_A_STEP = 256
const DATA = 'data:'

/**
 * What `find` makes of the data of the first event of a stream (HTML, 9.2.6) of which it makes anything; undefined where it makes nothing of any. Events without
 * data are none. Throws Error when the stream has more events or lines than an answer needs, and what `find` throws.
 */
export function* findEvent<T>(stream: string, find: (data: string) => Steps<T | undefined>): Steps<T | undefined> {
  let data: string[] = []
  let lines = 0
  let events = 0
  for (let start = 0; start < stream.length; ) {
    lines += 1
    if (lines > MOST_LINES) throw new Error(`the server sends more than ${MOST_LINES} lines without an answer`)
    if (lines % LINES_OF_A_STEP === 0) yield
    const end = stream.indexOf('\n', start)
    const line = lineOf(stream, start, end)
    start = end < 0 ? stream.length : end + 1
    if (line.startsWith(DATA)) data.push(line.slice(DATA.length).trimStart())
    if (line !== '' && start < stream.length) continue
    const event = data.join('\n')
    data = []
    if (event === '') continue
    events += 1
    if (events > MOST_EVENTS) throw new Error(`the server sends more than ${MOST_EVENTS} events without an answer`)
    yield
    const found = yield* find(event)
    if (found !== undefined) return found
  }
  return undefined
}

/** The line up to its break, which is at `end`, or below 0 in the last line; a break is one character or two. */
function lineOf(stream: string, start: number, end: number): string {
  const line = stream.slice(start, end < 0 ? undefined : end)
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
