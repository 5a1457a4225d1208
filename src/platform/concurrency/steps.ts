/** Work in steps, between any two of which others may be served; what it returns is its result. */
export type Steps<T> = Generator<undefined, T, undefined>

/** The result of work in steps, all at once: for few of them. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Items between two steps: some tenths of a millisecond for each of which a line of a table or a document is made. */
const ITEMS_OF_A_STEP = 32

/** What is made of each item, in order; `ofStep`: fewer items of a step where each takes longer than a line of a table. */
export function* mapSteps<T, R>(items: readonly T[], make: (item: T, index: number) => R, ofStep = ITEMS_OF_A_STEP): Steps<R[]> {
  const made: R[] = []
  for (const [index, item] of items.entries()) {
    if (index % ofStep === ofStep - 1) yield
    made.push(make(item, index))
  }
  return made
}

const [LINE_FEED, CARRIAGE_RETURN] = [10, 13]
/** Characters between two steps: some tenths of a millisecond. */
const CHARACTERS_OF_A_STEP = 4_096

/**
 * Does something with each line of a text of another host that is not empty, in order; lines end with CR, LF or both. No list of all lines is made: a
 * megabyte of line feeds would be one of a million.
 */
export function* eachLine(text: string, work: (line: string) => void): Steps<void> {
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (at % CHARACTERS_OF_A_STEP === CHARACTERS_OF_A_STEP - 1) yield
    const code = at === text.length ? LINE_FEED : text.charCodeAt(at)
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue
    if (at > start) work(text.slice(start, at))
    start = at + 1
  }
}

/**
 * What `JSON.stringify(value, null, indent)` writes of an object, in steps of some milliseconds where its members are long lists: an answer may have thousands of
 * documents, or megabytes of them.
 */
export function* jsonInSteps(value: object, indent = 0): Steps<string> {
  const line = (depth: number) => (indent === 0 ? '' : `\n${' '.repeat(indent * depth)}`)
  const written = (each: unknown, depth: number): string | undefined =>
    JSON.stringify(each, null, indent)?.replaceAll('\n', line(depth))
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const text = isLong(member)
      ? `[${(yield* mapSteps(member, (each) => line(2) + (written(each, 2) ?? 'null'))).join(',')}${line(1)}]`
      : written(member, 1)
    if (text !== undefined) members.push(`${line(1)}${JSON.stringify(name)}:${indent === 0 ? '' : ' '}${text}`)
  }
  return members.length === 0 ? '{}' : `{${members.join(',')}${line(0)}}`
}

function isLong(member: unknown): member is readonly unknown[] {
  return Array.isArray(member) && member.length > 0
}
