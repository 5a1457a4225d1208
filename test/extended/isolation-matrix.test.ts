import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, CASES, faceOf, OF_VICTIM, questionOf, Trial } from '../e2e/isolation/attack.ts'
import { growth, openWitness, type Witness } from '../e2e/isolation/witness.ts'
import { absentLike, acquire, type Holder, startWorld, type World } from '../support/isolation/holdings.ts'

let world: World
let witness: Witness
let victims: readonly Holder[]
/** Agents that may do everything with what is their own. */
let agents: readonly Holder[]
/** Callers that may do next to nothing. */
let powerless: readonly Holder[]
/** For each victim, one for callers with accounts of their own and one for sandbox agents. */
let trials: readonly (readonly Trial[])[]

const VICTIMS = ['an agent of the publisher', 'an agent of another publisher', 'a sandbox agent'] as const
const AGENTS = ['a neighbour at the same publisher', 'a stranger at another publisher', 'a sandbox agent'] as const
const POWERLESS = ['an agent without scopes', 'whoever holds the token of a list', 'a caller without credentials'] as const

beforeAll(async () => {
  world = await startWorld(true)
  const join = async (name: string, tenant: string, sandbox: boolean): Promise<Holder> => {
    const client = world.client(await world.addBuyer({ principal: name.replaceAll(' ', '-'), tenant, sandbox }))
    return { name, tenant, client, own: await acquire(client, name, world.url) }
  }
  victims = [
    await join('victim one', 'acme', false),
    await join('victim two', 'globex', false),
    await join('victim three', 'acme', true),
  ]
  const neighbour = await join('agent beside', 'acme', false)
  const scopeless = world.client(await world.addBuyer({ principal: 'scopeless', tenant: 'acme', scopes: [] }))
  const list = await ask(neighbour, 'create_property_list', { account: { account_id: neighbour.own.account }, name: 'Shared' })
  agents = [neighbour, await join('agent elsewhere', 'globex', false), await join('tester', 'acme', true)]
  powerless = [
    { ...neighbour, name: 'scopeless', client: scopeless },
    { ...neighbour, name: 'list token', client: world.client(list.data.auth_token) },
    { ...neighbour, name: 'nobody', client: world.client() },
  ]
  witness = openWitness(world.config.data)
  trials = victims.map((victim) => [false, true].map((sandbox) => new Trial({ ...world, victim }, sandbox)))
})
afterAll(async () => {
  for (const trial of trials?.flat() ?? []) trial.close()
  witness?.close()
  await world?.stop()
})

function at<T>(all: readonly T[], index: number): T {
  const found = all[index]
  if (found === undefined) throw new Error('nobody there')
  return found
}

/**
 * Every id of every tool, of three victims, sent by six callers: nothing of the victim is in an answer or changed by a call, and the answer is that to an
 * id that nobody has. Tools that only official suites need are in test/e2e/isolation.
 */
describe.each(VICTIMS.map((name, index) => [name, index] as const))('ids of %s', (_victim, victimIndex) => {
  const cases = CASES.filter(({ task }) => !task.sandboxOnly)

  describe.each(AGENTS.map((name, index) => [name, index] as const))('sent by %s', (_caller, callerIndex) => {
    it.each(cases)('$task.name $field.path', async (each) => {
      const caller = at(agents, callerIndex)
      await at(at(trials, victimIndex), caller.name === 'tester' ? 1 : 0).expectNoDifference(caller, questionOf(each, world.url))
    })
  })

  describe.each(POWERLESS.map((name, index) => [name, index] as const))('sent by %s', (_caller, callerIndex) => {
    it.each(cases)('$task.name $field.path', async (each) => {
      const [victim, caller] = [at(victims, victimIndex), at(powerless, callerIndex)]
      const { task, kind, requestOf } = questionOf(each, world.url)
      const id = victim.own[kind]
      const absent = absentLike(id)
      const before = witness.counts()
      const toAbsent = await ask(caller, task, requestOf(caller, absent))
      const toReal = await ask(caller, task, requestOf(caller, id))
      expect(faceOf(toReal, id)).toEqual(faceOf(toAbsent, absent))
      expect(growth(before, witness.counts())).toEqual({})
      expect(JSON.stringify(toReal.raw)).not.toMatch(OF_VICTIM)
    })
  })
})
