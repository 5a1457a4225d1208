import { afterEach, describe, expect, it, vi } from 'vitest'
import { fetchAdagents } from '../../../src/features/directory/fetch-adagents.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'
import { decodeRefusals } from '../../../src/platform/decode/decode-refusals.ts'
import { foreignJson, foreignJsonIn, foreignJsonInSteps, parseJsonInTurns } from '../../../src/platform/decode/foreign-json.ts'
import { JsonRefused, parseJson } from '../../../src/platform/decode/parse-json.ts'
import { callTool } from '../../../src/platform/net/call-tool.ts'
import { WELL_KNOWN_POLICY } from '../../../src/platform/net/fetch-policy.ts'

const each = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const inSteps = (text: string) => atOnce(foreignJsonInSteps(text, { what: 'the file', maxNodes: 1_000_000 }))
const MANY = each(40_000, () => 1)
const LARGE = {
  'a list of small values': MANY,
  'lists in maps in lists': [{ a: { b: MANY, c: 'x' }, d: [] }, MANY, {}, 'end'],
  'large lists one after the other': { a: MANY, b: MANY, c: 3 },
  'brackets, quotes and commas in texts': { a: each(20_000, (at) => `],}"\\{[:${at}`), b: MANY },
  'a long text': ['x"\\'.repeat(100_000), { a: 'y'.repeat(100_000) }, MANY],
  'a name that is that of the prototype': JSON.parse(`{"__proto__":${JSON.stringify(MANY)},"constructor":1}`),
}
/** Most characters that are parsed in a row: two steps, for a member that ends behind the first. */
const MOST_AT_ONCE = 140_000

afterEach(() => vi.restoreAllMocks())

/** The lengths of the texts that are parsed from now on. */
function parsedLengths(): number[] {
  const parse = JSON.parse
  const lengths: number[] = []
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    lengths.push(text.length)
    return parse(text, reviver)
  })
  return lengths
}

describe('a strict JSON body in turns', () => {
  const bytes = (text: string) => Buffer.from(text)

  it.each(Object.entries(LARGE))('says the same as at once: %s', async (_what, value) => {
    const body = bytes(JSON.stringify(value))
    const strict = await parseJsonInTurns(body).catch((error: Error) => error.message)
    expect(strict).toEqual(messageOrValue(() => parseJson(body)))
  })

  it('reads a map of five thousand members of other scripts in parts', async () => {
    const map = Object.fromEntries(each(5_000, (at) => [`Kéy\ufdfa ${at}`, 1]))
    const lengths = parsedLengths()
    expect(await parseJsonInTurns(bytes(JSON.stringify({ map })))).toEqual({ map })
    expect(Math.max(...lengths)).toBeLessThan(MOST_AT_ONCE)
  })

  it('refuses a key that comes again in another part of a large map', async () => {
    const members = each(4_999, (at) => `"a long name of a member ${at}":1`)
    await expect(parseJsonInTurns(bytes(`{${members.join()},"a long name of a member 0":2}`))).rejects.toMatchObject({
      fault: 'duplicate-key',
    })
    await expect(parseJsonInTurns(bytes(`{${members.join()}}`))).resolves.toHaveProperty('a long name of a member 4998')
  })
})

function messageOrValue(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

describe('a JSON text in steps', () => {
  it.each(Object.entries(LARGE))('says the same as at once: %s', (_what, value) => {
    expect(inSteps(JSON.stringify(value))).toEqual(value)
    expect(inSteps(` ${JSON.stringify(value, undefined, 1)}\n`)).toEqual(value)
  })

  it('keeps a member named __proto__ as a member', () => {
    const read = inSteps(JSON.stringify(LARGE['a name that is that of the prototype']))
    expect(Object.keys(Object(read))).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })

  it('is parsed in parts, with a step after each', () => {
    const lengths = parsedLengths()
    const steps = foreignJsonInSteps(JSON.stringify(LARGE['lists in maps in lists'].concat(each(300_000, String))), {
      what: 'the file',
      maxNodes: 1_000_000,
    })
    let count = 0
    while (!steps.next().done) count += 1
    expect(count).toBeGreaterThan(40)
    expect(Math.max(...lengths)).toBeLessThan(MOST_AT_ONCE)
  })

  const text = JSON.stringify(LARGE['large lists one after the other'])
  it.each([
    ['a value before the list', text.replace('"a":[', '"a":1[')],
    ['a value before the list, without a name', text.replace('"a":[', '[')],
    ['two names', text.replace('"a":[', '"a":0,"a1":"b":[')],
    ['no comma behind the list', text.replace('],"b"', '] "b"')],
    ['two commas', text.replace('],"b"', '],,"b"')],
    ['a comma at the end', text.replace(',"c":3}', ',}')],
    ['the other bracket', text.replace('],"b"', '},"b"')],
    ['the other bracket around all', `[${text.slice(1)}`],
    ['a closing bracket first', `}${text.slice(1)}`],
    ['more behind the end', `${text}1`],
    ['no end', text.slice(0, -1)],
    ['white space of another language', text.replace('],"b"', ']\u00a0,"b"')],
  ])('is refused with %s', (_what, broken) => {
    expect(() => JSON.parse(broken)).toThrow(SyntaxError)
    expect(() => inSteps(broken)).toThrow(new JsonRefused('syntax', 'the file is not valid JSON'))
  })
})

it('a text is bounded before it is parsed', () => {
  const deep = `${'['.repeat(65)}${']'.repeat(65)}`
  expect(foreignJsonIn(deep)).toBeUndefined()
  expect(foreignJsonIn('{"a":1,"a":2}')).toEqual({ a: 2 })
  expect(foreignJsonIn('{')).toBeUndefined()
  expect(() => foreignJson(JSON.stringify(each(100_001, () => 1)))).toThrow('The text holds more than 100000 values')
  expect(() => foreignJson('1 2')).toThrow('The text is not valid JSON')
})

describe('no text is passed over at once, whatever it is', () => {
  it.each([' ', '\n', '\t'])('white space is refused where it begins to be long: %j', (space) => {
    for (const text of [space.repeat(500_000), `[${space.repeat(500_000)}]`, `[1]${space.repeat(500_000)}`])
      expect(() => inSteps(text)).toThrow('the file has more than 65536 characters of white space in a row')
  })

  it.each([
    ['a list without an end', `[${'{},'.repeat(100_000)}`],
    ['a long text in a map without an end', `{"a":[{"b":"${'\\u0041'.repeat(100_000)}"}`],
    ['a small list with more behind', `[1]${'[2]'.repeat(100_000)}`],
  ])('%s is not parsed', (_what, text) => {
    const lengths = parsedLengths()
    expect(() => inSteps(text)).toThrow(new JsonRefused('syntax', 'the file is not valid JSON'))
    expect(lengths).toEqual([])
  })

  it('a small list between long white space is parsed', () => {
    const spaces = '\n'.repeat(65_536)
    expect(inSteps(`${spaces}[1,${spaces}{"a":${spaces}2}${spaces}]${spaces}`)).toEqual([1, { a: 2 }])
  })
})

describe('documents of other hosts are parsed in parts', () => {
  const answered = (contentType: string, text: string) => async () => ({
    status: 200,
    url: 'https://other.example/',
    contentType,
    body: Buffer.from(text),
    etag: undefined,
    lastModified: undefined,
    retryAfter: undefined,
    challenge: undefined,
    mcpSessionId: undefined,
  })

  it('an adagents.json of many small values', async () => {
    const document = { authorized_agents: [], ext: each(300_000, () => 1) }
    const fetch = answered('application/json', JSON.stringify(document))
    const lengths = parsedLengths()
    const outcome = await fetchAdagents(fetch, 'https://other.example/.well-known/adagents.json', WELL_KNOWN_POLICY)
    expect(outcome).toMatchObject({ kind: 'fetched', document: { authorized_agents: [] } })
    expect(Math.max(...lengths)).toBeLessThan(MOST_AT_ONCE)
  })

  const call = { url: 'https://other.example/mcp', tool: 'get_products', arguments: {}, policy: WELL_KNOWN_POLICY }
  const message = (text: string) => JSON.stringify({ jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text }] } })

  it.each([
    ['application/json', (text: string) => message(text)],
    [
      'text/event-stream',
      (text: string) => `event: message\ndata: {"method":"notifications/progress"}\r\n\r\ndata: ${message(text)}\n\n`,
    ],
  ])('an answer of a tool as %s', async (contentType, body) => {
    const payload = { products: each(100_000, (at) => `product ${at}`) }
    const fetch = answered(contentType, body(JSON.stringify(payload)))
    const lengths = parsedLengths()
    const answer = await callTool(fetch, call)
    expect(answer).toEqual({ isError: false, payload })
    // The text of the answer is one value, and cannot be parsed in parts.
    const whole = lengths.filter((length) => length > MOST_AT_ONCE)
    expect(whole.length).toBeLessThanOrEqual(2)
  })

  it.each([
    ['events', 'data: 1\n\n'.repeat(20_000), '10000 events'],
    ['lines of one event', 'data:\n'.repeat(300_000), '200000 lines'],
    ['lines without data', 'x\n'.repeat(300_000), '200000 lines'],
    ['empty lines', '\r\n'.repeat(300_000), '200000 lines'],
  ])('a stream of too many %s without an answer', async (_what, text, most) => {
    const fetch = answered('text/event-stream', text)
    await expect(callTool(fetch, call)).rejects.toThrow(`the server sends more than ${most} without an answer`)
  })
})

it('counts documents that are refused, and no text that only may be JSON', () => {
  const count = () => decodeRefusals().get('json syntax') ?? 0
  const before = count()
  expect(foreignJsonIn('{no JSON}')).toBeUndefined()
  expect(count()).toBe(before)
  expect(() => foreignJson('{no JSON}')).toThrow(JsonRefused)
  expect(count()).toBe(before + 1)
})
