import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TASKS } from '../../../src/tasks/index.ts'
import { type Holder, startWorld, type World } from '../../support/isolation/holdings.ts'
import { CONTROLLER, requestFor, UNCHECKED } from '../../support/isolation/requests.ts'
import { ask, CASES, type Case, OF_VICTIM, questionOf, Trial } from './attack.ts'

interface Scene {
  readonly world: World
  readonly trial: Trial
}

/** A running agent with a victim and two attackers, for the tests of one file. */
export function scene(sandbox: boolean): Scene {
  const current: { world?: World; trial?: Trial } = {}
  beforeAll(async () => {
    current.world = await startWorld(sandbox)
    current.trial = new Trial(current.world, sandbox)
  })
  afterAll(async () => {
    current.trial?.close()
    await current.world?.stop()
  })
  const there = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the agent has not started')
    return value
  }
  return {
    get world() {
      return there(current.world)
    },
    get trial() {
      return there(current.trial)
    },
  }
}

/** Every id of every task: of somebody else's it is as absent, and its owner is told a difference. */
export function describeIds(here: Scene, sandbox: boolean): void {
  const cases = CASES.filter(({ task }) => !task.sandboxOnly)

  describe.each(cases)('$task.name $field.path', (each: Case) => {
    // One attacker is enough where all that differs from the other run is that agents are simulated.
    it.each(sandbox ? [0] : [0, 1])('of somebody else is as absent (attacker %i)', async (index) => {
      const attacker = here.world.attackers[index]
      if (!attacker) throw new Error('no attacker')
      await here.trial.expectNoDifference(attacker, questionOf(each, here.world.url))
    })

    const isChecked = !(`${each.task.name} ${each.field.path}` in UNCHECKED)
    it.runIf(isChecked && !sandbox)('its owner is told a difference: the id is looked at', () =>
      here.trial.expectDifference(questionOf(each, here.world.url)),
    )
  })
}

export function describeLists(here: Scene): void {
  it.each(TASKS.filter((task) => !task.sandboxOnly && /^(list|get)_/.test(task.name)).map(({ name }) => name))(
    '%s shows nothing of others without being asked',
    async (task) => {
      for (const attacker of here.world.attackers) {
        const { raw } = await ask(attacker, task, requestFor(task, '', attacker.own, here.world.url) ?? {})
        const text = JSON.stringify(raw)
        for (const id of Object.values(here.world.victim.own)) expect(text).not.toContain(id)
        expect(text).not.toMatch(OF_VICTIM)
      }
    },
  )
}

export function describeController(here: Scene): void {
  it.each(CONTROLLER)('comply_test_controller %s %s', async (scenario, parameter, kind, more) => {
    const requestOf = (_who: Holder, id: string) => ({ scenario, params: { [parameter]: id, ...more } })
    const question = { task: 'comply_test_controller', kind, uses: new Set([kind]), requestOf }
    for (const attacker of here.world.attackers) await here.trial.expectNoDifference(attacker, question)
  })
}

export function describeKeys(here: Scene): void {
  it("an idempotency key of somebody else's is a new one", async () => {
    const { world } = here
    const idempotency_key = randomUUID()
    const create = (who: Holder) =>
      who.client.call('create_property_list', { idempotency_key, name: 'Mine', account: { account_id: who.own.account } })
    const first = await create(world.victim)
    for (const attacker of world.attackers) {
      const reply = await create(attacker)
      expect(reply.isError).toBe(false)
      expect(reply.data.replayed).toBeUndefined()
      expect(reply.data.list.list_id).not.toBe(first.data.list.list_id)
    }
  })

  it('what a buyer made of a draft proposal is its own', async () => {
    const { victim, attackers } = here.world
    const { data } = await victim.client.call('get_products', {
      buying_mode: 'brief',
      brief: 'video for commuters, 50000 USD',
    })
    const proposal_id = data.proposals.at(-1).proposal_id
    const refine = [{ scope: 'proposal', proposal_id, action: 'finalize' }]
    const firm = await victim.client.call('get_products', { buying_mode: 'refine', refine })
    expect(firm.data.proposals[0].proposal_status).toBe('committed')
    for (const attacker of attackers) {
      const seen = await attacker.client.call('get_products', {
        buying_mode: 'refine',
        refine: [{ scope: 'proposal', proposal_id }],
      })
      expect(seen.data.proposals?.[0]?.proposal_status).not.toBe('committed')
    }
  })
}
