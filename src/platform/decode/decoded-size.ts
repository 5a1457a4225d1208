import { DecodeFault } from './decode-fault.ts'

/** What an item costs to send from one thread to another. A text counts for each time that it is referred to, since each is written out. */
export interface DecodedSize {
  /** Values on all levels. */
  readonly values: number
  /** Characters of texts and names, and bytes. */
  readonly characters: number
}

/** Most of what is decoded of one document, in all. A bundle of creative files unpacks to 20 MB, and a sheet of 50,000 rows has some 30 million characters. */
const MOST_OF_DOCUMENT: DecodedSize = { values: 5_000_000, characters: 50_000_000 }
/** Most of one item: a file of a bundle, and an answer of an ad server, have 20 MB at most. */
const MOST_OF_ITEM: DecodedSize = { values: 500_000, characters: 24_000_000 }
/** Of items that are sent at once: the other thread takes them over within some milliseconds. */
const MOST_AT_ONCE = { items: 1_000, values: 20_000, characters: 1_000_000 }

/** The size of a value with all that it holds, by a walk that ends once it has more than `mostValues`. */
export function decodedSize(value: unknown, mostValues: number): DecodedSize {
  let [values, characters] = [0, 0]
  const stack: unknown[] = [value]
  while (stack.length > 0 && values <= mostValues) {
    const each = stack.pop()
    if (typeof each === 'string') characters += each.length
    if (typeof each !== 'object' || each === null) continue
    if (ArrayBuffer.isView(each)) {
      characters += each.byteLength
      continue
    }
    const inner = Array.isArray(each) ? each : Object.values(each)
    values += inner.length
    if (!Array.isArray(each)) for (const name of Object.keys(each)) characters += name.length
    if (values <= mostValues) for (const one of inner) stack.push(one)
  }
  return { values, characters }
}

/** Items in groups, each small enough that the receiving thread does not stall. Throws DecodeFault for an item or a document that is larger than may be sent. */
export async function* inGroups<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let all: DecodedSize = { values: 0, characters: 0 }
  let [group, size]: [T[], DecodedSize] = [[], { values: 0, characters: 0 }]
  for await (const item of items) {
    const own = decodedSize(item, MOST_OF_ITEM.values)
    requireAtMost(own, MOST_OF_ITEM, 'has a part with')
    all = sum(all, own)
    requireAtMost(all, MOST_OF_DOCUMENT, 'comes to')
    if (group.length > 0 && (group.length >= MOST_AT_ONCE.items || exceeds(sum(size, own), MOST_AT_ONCE))) {
      yield group
      group = []
      size = { values: 0, characters: 0 }
    }
    group.push(item)
    size = sum(size, own)
  }
  if (group.length > 0) yield group
}

function sum(a: DecodedSize, b: DecodedSize): DecodedSize {
  return { values: a.values + b.values, characters: a.characters + b.characters }
}

function exceeds({ values, characters }: DecodedSize, most: DecodedSize): boolean {
  return values > most.values || characters > most.characters
}

function requireAtMost(size: DecodedSize, most: DecodedSize, verb: string): void {
  if (!exceeds(size, most)) return
  const limit = size.values > most.values ? `${most.values} values` : `${most.characters} characters`
  throw new DecodeFault('size', `${verb} more than ${limit} when it is read, each repetition of a text counted; split it`)
}
