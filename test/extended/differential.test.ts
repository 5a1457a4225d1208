import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { a2aClient } from '../support/a2a-client.ts'
import { arbitraryRequest, mutated } from '../support/arbitrary-request.ts'
import { BASE_TASKS } from '../support/base-tasks.ts'
import { EXAMPLES, SETUP, START, WORDS } from '../support/differential-corpus.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'
import { stdioClient } from '../support/stdio-client.ts'

/** The same requests over each transport, each to an agent of its own, in the same order and at the same time. */
const TRANSPORTS = ['MCP over HTTP', 'MCP over stdio', 'A2A'] as const

/** Requests made from a task's schema, and as many again with members replaced, removed, renamed and doubled. */
const RUNS = 12
/** Fixed, so that a failure here is a failure everywhere; other seeds are one edit away. */
const SEED = 20_260_316

type Answer = { readonly data: unknown; readonly isError: boolean }
type Call = (task: string, args: unknown) => Promise<Answer>

interface Subject {
  readonly agent: TestAgent
  readonly known: Call
  readonly unknown: Call
  /** What this agent calls the things that the requests name. */
  readonly names: Map<string, string>
}

let tick = 0
let subjects: readonly Subject[] = []
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  // One clock for all, which moves with every request: nothing that was made later has the same age.
  const clock = () => new Date(START + tick * 1000)
  const agents = await Promise.all(TRANSPORTS.map(() => startAgent({ demo: true, conformance: true, clock })))
  stops.push(...agents.map((agent) => agent.stop))
  const [first, second, third] = agents
  if (!first || !second || !third) throw new Error('an agent is missing')
  const [known, unknown] = [await stdioClient(second, second.key), await stdioClient(second)]
  stops.unshift(known.close, unknown.close)
  subjects = [
    subject(
      first,
      (task, args) => first.buyer.call(task, args as object),
      (task, args) => first.client().call(task, args as object),
    ),
    subject(second, known.call, unknown.call),
    subject(third, a2aClient(third.url, third.key).call, a2aClient(third.url).call),
  ]
  for (const { task, request, names } of SETUP) {
    for (const [index, { data, isError }] of (await everywhere(task, request)).entries()) {
      const text = JSON.stringify(data)
      expect(isError, text).toBe(false)
      for (const [name, pattern] of Object.entries(names)) subjects[index]?.names.set(name, pattern.exec(text)?.[1] ?? '')
    }
  }
})
afterAll(() => Promise.all(stops.map((stop) => stop())))

function subject(agent: TestAgent, known: Call, unknown: Call): Subject {
  const names = new Map([
    ['@agent@', agent.url],
    ['@origin@', new URL(agent.url).origin],
  ])
  return { agent, known, unknown, names }
}

/** Sends one request over every transport; its names are those of each agent. */
async function everywhere(task: string, args: unknown, as: 'known' | 'unknown' = 'known'): Promise<Answer[]> {
  tick += 1
  const text = JSON.stringify(args)
  return Promise.all(
    subjects.map(async (each) => {
      const own = [...each.names].reduce((all, [name, value]) => all.replaceAll(name, value), text)
      return each[as](task, JSON.parse(own))
    }),
  )
}

/** Members that hold a secret or a position drawn by lot, a signature of the agent's own key, or a hash of such. */
const DRAWN =
  /"(cursor|auth_token|preview_url|preview_id|governance_context|rights_key|offering_token|content_digest|hash|previous_hash|head)":"[^"]+"/g
/** A compact JWS: names the key of the agent that signed it. */
const JWS = /"eyJ[\w-]+\.[\w-]+\.[\w-]+"/g
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** An answer without what no two agents share: their addresses and what they have drawn by lot. */
function comparable({ data, isError }: Answer, { names }: Subject): unknown {
  const { adcp_error, errors, error, context } = data as Record<string, unknown>
  const payload = isError ? { adcp_error, errors, error, context } : data
  const text = [...names].reduce((all, [name, value]) => all.replaceAll(value, name), JSON.stringify(payload))
  return JSON.parse(text.replace(UUID, '@id@').replace(JWS, '"@jws@"').replace(DRAWN, '"$1":"@drawn@"'))
}

async function compare(task: string, args: unknown, as?: 'known' | 'unknown'): Promise<boolean> {
  const answers = await everywhere(task, args, as)
  const [first, ...others] = answers.map((answer, index) => {
    const each = subjects[index]
    if (!each) throw new Error('an agent is missing')
    return { isError: answer.isError, payload: comparable(answer, each) }
  })
  for (const [index, other] of others.entries()) {
    expect(other, `${TRANSPORTS[index + 1]}: ${task} ${JSON.stringify(args)}`).toEqual(first)
  }
  return first?.isError === false
}

describe.each(BASE_TASKS.map(({ name }) => name))('%s is the same over every transport', (name) => {
  test('asked rightly', async () => {
    let succeeded = 0
    for (const args of EXAMPLES[name] ?? []) if (await compare(name, args)) succeeded += 1
    if (EXAMPLES[name]) expect(succeeded).toBeGreaterThan(0)
  })

  test('asked by nobody', async () => {
    for (const args of [{}, { context: { trace: 1 } }, ...(EXAMPLES[name] ?? [])]) await compare(name, args, 'unknown')
  })

  test('asked anything', async () => {
    const { schemas } = subjects[0]?.agent.server ?? {}
    const path = schemas?.pathsOf(name)?.request
    if (!schemas || path === undefined) throw new Error(`no request schema of ${name}`)
    const generated = arbitraryRequest(schemas, schemas.document(path), WORDS)
    const requests = fc.sample(fc.tuple(generated, mutated(generated)), { seed: SEED, numRuns: RUNS }).flat()
    for (const args of [{}, ...requests]) {
      if (typeof args === 'object' && args !== null && !Array.isArray(args)) await compare(name, args)
    }
  })
})

test.each(['get_task_status', 'tasks/get', 'tasks_get', 'list_tasks', 'tasks/list', 'tasks_list', 'no_such_task'])(
  'the name %s means the same everywhere',
  async (name) => {
    await compare(name, { task_id: 'nothing' })
  },
)
