import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type A2aTestClient, a2aClient, skillMessage } from '../../support/a2a-client.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'
import { WRONG_A2A_CALLS } from '../../support/wrong-a2a-calls.ts'

let agent: TestAgent
let buyer: A2aTestClient
let taskId: string
beforeAll(async () => {
  agent = await startAgent({ demo: true })
  buyer = a2aClient(agent.url, agent.key)
  taskId = (await jsonOf(await buyer.rpc('message/send', { message: skillMessage('get_adcp_capabilities', {}) }))).result.id
})
afterAll(() => agent?.stop())

// biome-ignore lint/suspicious/noExplicitAny: wrong requests have any shape
type Body = any
const jsonOf = async (response: Response): Promise<Body> => response.json()

interface Sent {
  readonly version: string | undefined
  readonly body: Body
}

const ARGS = { buying_mode: 'brief', brief: 'sports' }

async function send({ version, body }: Sent) {
  const headers = version === undefined ? {} : { 'A2A-Version': version }
  const reply = await jsonOf(await buyer.post(JSON.stringify(body), headers))
  const task = reply.result?.task ?? reply.result
  // biome-ignore lint/suspicious/noExplicitAny: parts of both revisions
  const data = (task?.artifacts ?? []).flatMap((artifact: any) => artifact.parts).find((each: any) => each.data)?.data
  return {
    isOk: reply.error === undefined && data?.adcp_error === undefined,
    words: reply.error?.message ?? data?.adcp_error?.message,
  }
}

/** The one data part of a message, changed. */
const withData = (body: Body, change: (data: Body) => Body): Body => {
  const [first] = body.params.message.parts
  return withMessage(body, { parts: [{ ...first, data: change(first.data) }] })
}
const withMessage = (body: Body, more: object): Body => ({
  ...body,
  params: { ...body.params, message: { ...body.params.message, ...more } },
})
const without = (members: Body, name: string): Body =>
  Object.fromEntries(Object.entries(members).filter(([each]) => each !== name))
/** The params that an answer shows, filled with what the caller meant. */
const template = (text: string) => JSON.parse(text.replace('{…}', JSON.stringify(ARGS)))

/** What a developer does who reads one answer and nothing else: what to send is quoted from it. */
const REPAIRS: readonly (readonly [words: RegExp, repair: (sent: Sent, found: readonly string[]) => Sent])[] = [
  [/send the header A2A-Version: ([\d.]+) with it/, ({ body }, [version]) => ({ version, body })],
  [/send it without the header A2A-Version/, ({ body }) => ({ version: undefined, body })],
  [/send A2A-Version: ([\d.]+)/, ({ body }, [version]) => ({ version, body })],
  [
    /has no such method; did you mean (\S+) with the header A2A-Version: ([\d.]+)\?/,
    ({ body }, [method, version]) => ({ version, body: { ...body, method } }),
  ],
  [/has no such method; did you mean (\S+)\?/, ({ version, body }, [method]) => ({ version, body: { ...body, method } })],
  [
    /the method (\S+) here, with params (\{.*)$/,
    ({ version, body }, [method, params = '']) => ({ version, body: { ...body, method, params: template(params) } }),
  ],
  [
    /no such task here; did you mean (\w+)\?/,
    ({ version, body }, [skill]) => ({ version, body: withData(body, (data) => ({ ...data, skill })) }),
  ],
  [
    /data\.skill must name the task, not data\.(\w+)/,
    ({ version, body }, [name = '']) => ({
      version,
      body: withData(body, (data) => ({ skill: data[name], parameters: Object.values(without(data, name))[0] })),
    }),
  ],
  [
    /data\.skill must name the task, and/,
    ({ version, body }) => ({ version, body: withData(body, (data) => ({ skill: 'get_products', parameters: data })) }),
  ],
  [
    /arguments of the task, not data\.(\w+)/,
    ({ version, body }, [name = '']) => ({
      version,
      body: withData(body, ({ skill, ...rest }) => ({
        skill,
        parameters: typeof rest[name] === 'object' ? rest[name] : rest,
      })),
    }),
  ],
  [
    /data\.(\w+) must be written (\w+)/,
    ({ version, body }, [wrong = '', right = '']) => ({
      version,
      body: withData(body, (data) => ({ ...without(data, wrong), [right]: data[wrong] })),
    }),
  ],
  [
    /text calls nothing/,
    ({ version, body }) => ({
      version,
      body: withMessage(body, { parts: [{ kind: 'data', data: JSON.parse(body.params.message.parts[0].text) }] }),
    }),
  ],
  [
    /data\.parameters must be an object, not a text of it/,
    ({ version, body }) => ({
      version,
      body: withData(body, (data) => ({ ...data, parameters: JSON.parse(data.parameters) })),
    }),
  ],
  [
    /data must be an object, not a text of it/,
    ({ version, body }) => ({ version, body: withData(body, (data) => JSON.parse(data)) }),
  ],
  [
    /messageId must be an id that you choose/,
    ({ version, body }) => ({ version, body: withMessage(body, { messageId: 'of-my-own' }) }),
  ],
  [/message\.role must be "(\w+)"/, ({ version, body }, [role]) => ({ version, body: withMessage(body, { role }) })],
  [
    /message\.parts must be a list, not message\.(\w+)/,
    ({ version, body }, [name = '']) => ({ version, body: withMessage(body, { parts: body.params.message[name] }) }),
  ],
  [
    /kind must be "(\w+)"/,
    ({ version, body }, [kind]) => {
      const [first] = body.params.message.parts
      return { version, body: withMessage(body, { parts: [{ ...without(first.root ?? first, 'type'), kind }] }) }
    },
  ],
  [
    /must have the kind "(\w+)"/,
    ({ version, body }, [kind]) => ({
      version,
      body: withMessage(body, { parts: [{ ...body.params.message.parts[0], kind }] }),
    }),
  ],
  [
    /exactly one data part/,
    ({ version, body }) => ({ version, body: withMessage(body, { parts: body.params.message.parts.slice(0, 1) }) }),
  ],
  [
    /either data or text/,
    ({ version, body }) => ({
      version,
      body: withMessage(body, { parts: body.params.message.parts.filter((each: Body) => each.data) }),
    }),
  ],
  [
    /params\.id must be the id of the task, not params\.(\w+)/,
    ({ version, body }, [name = '']) => ({ version, body: { ...body, params: { id: body.params[name] } } }),
  ],
  [
    /send the message without its taskId/,
    ({ version, body }) => ({
      version,
      body: { ...body, params: { message: without(body.params.message, 'taskId') } },
    }),
  ],
  [
    /params\.configuration must hold (\w+), not params/,
    ({ version, body }, [name = '']) => ({
      version,
      body: { ...body, params: { ...without(body.params, name), configuration: { [name]: body.params[name] } } },
    }),
  ],
  [
    /(?:params|message|parts) must be an? (?:object|list)[^:]*: (\{"message".*)$/,
    ({ version, body }, [params = '']) => ({ version, body: { ...body, params: template(params) } }),
  ],
  [/jsonrpc must be "2\.0"/, ({ version, body }) => ({ version, body: { ...body, jsonrpc: '2.0' } })],
  [/id must be a string or an integer/, ({ version, body }) => ({ version, body: { ...body, id: 1 } })],
]

function repaired(sent: Sent, words: string): Sent {
  for (const [pattern, repair] of REPAIRS) {
    const found = pattern.exec(words)
    if (found) return repair(sent, found.slice(1))
  }
  throw new Error(`nothing to do is read from: ${words}`)
}

describe('a wrong call over A2A', () => {
  it('is tested for many mistakes', () => {
    expect(WRONG_A2A_CALLS.length).toBeGreaterThanOrEqual(45)
    // Each rule of a repair is one that some call needs.
    for (const [pattern] of REPAIRS)
      expect([pattern, WRONG_A2A_CALLS.some(([, , , words]) => pattern.test(words))]).toEqual([pattern, true])
  })

  it.each(WRONG_A2A_CALLS)('with %s is refused with what to send, which is taken', async (_what, version, wrong, words) => {
    const sent = { version, body: JSON.parse(JSON.stringify(wrong).replaceAll('<task>', taskId)) }
    const refused = await send(sent)
    expect(refused).toEqual({ isOk: false, words })
    expect(await send(repaired(sent, words))).toMatchObject({ isOk: true })
  })
})
