import { describe, test } from 'vitest'
import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import { runStep } from '../../src/ad-serving/reconcile/run-step.ts'
import { refusalOf } from '../../src/ad-serving/refusal.ts'
import type { DesiredLine, DesiredOrder, LineSettings } from '../../src/domain/ad-serving/desired-order.ts'
import { diff } from '../../src/domain/ad-serving/diff.ts'
import { type Drift, findDrift } from '../../src/domain/ad-serving/drift.ts'
import type { ObservedOrder } from '../../src/domain/ad-serving/observed-order.ts'
import { describeStep, type Step } from '../../src/domain/ad-serving/step.ts'
import { HeldInventory } from '../../src/domain/media-buy/held-inventory.ts'
import { sameValue } from '../../src/domain/same-value.ts'
import { BANNER, line, order } from '../support/ad-server-orders.ts'

/** What the suite works with; opened anew for each check. */
export interface BackendUnderTest {
  readonly backend: AdServerBackend
  /** Settings of a line that this ad server can keep. */
  readonly settings: LineSettings
  /** The same ad server as the next process uses it: what the one before had in memory is gone. */
  reopen(): AdServerBackend
  /** The ad server as a process uses it that is killed as soon as its call of this number has reached it; absent where a step is one call at the most. */
  readonly dying?: (calls: number) => AdServerBackend
  /** What waits for a person there is approved, where somebody has to. */
  readonly approve?: (order: DesiredOrder) => Promise<void>
  /** Changes something of the order behind our back, such as the budget of the line; a text says why nobody can. */
  readonly tamper: ((order: DesiredOrder, lineExternalId: string) => Promise<Tampered>) | string
  /** Settings of a line that the ad server itself refuses when it is called; a text says why there are none. */
  readonly refuses: LineSettings | string
  readonly close?: () => Promise<void>
}

/** How a change behind our back is to be found, and whether it is then undone (what someone added is not). */
export interface Tampered extends Pick<Drift, 'field'> {
  readonly subject: 'order' | 'line'
  readonly heals: boolean
}

/** One thing that every reconciled ad server does. Throws an Error that says what is wrong. */
export interface Check {
  readonly name: string
  run(under: BackendUnderTest): Promise<void>
}

/** An order of two lines that this ad server can keep. */
function wanted({ settings, backend }: BackendUnderTest, id: string, change: Partial<DesiredOrder> = {}): DesiredOrder {
  const shows = backend.capabilities.creatives
  const lines = ['pkg_1', 'pkg_2'].map((name) => line(`${id}_${name}`, { settings, ...(shows ? {} : { associations: [] }) }))
  const { startsAt, endsAt } = settings
  const extent = { budgetMicros: settings.budgetMicros * lines.length, startsAt, endsAt }
  const settingsOf = { name: id, advertiserId: 'acc_1', currency: 'USD', ...extent }
  return order({
    key: { tenantId: 'acme', externalId: id },
    settings: settingsOf,
    lines,
    creatives: shows ? [BANNER] : [],
    ...change,
  })
}

const withLine = (desired: DesiredOrder, change: Partial<DesiredLine>): DesiredOrder => ({
  ...desired,
  lines: desired.lines.map((each, index) => (index === 0 ? { ...each, ...change } : each)),
})

async function stepsFor({ backend }: BackendUnderTest, desired: DesiredOrder): Promise<readonly Step[]> {
  return diff(desired, await backend.observe(desired.key), backend.capabilities)
}

/** Brings the order there in one go and requires that it is there. */
async function bring(under: BackendUnderTest, desired: DesiredOrder): Promise<ObservedOrder | undefined> {
  for (const step of await stepsFor(under, desired)) await runStep(under.backend, desired.key, step)
  return requireThere(under, desired)
}

async function requireThere(under: BackendUnderTest, desired: DesiredOrder): Promise<ObservedOrder | undefined> {
  const rest = await stepsFor(under, desired)
  if (rest.length > 0) throw new Error(`accepted, but not there: ${rest.map(describeStep).join(', ')}`)
  const observed = await under.backend.observe(desired.key)
  const ours = observed?.lines.filter(({ externalId, state }) => externalId !== undefined && state !== 'ended') ?? []
  const live = desired.state === 'ended' ? [] : desired.lines.filter(({ state }) => state !== 'ended')
  if (desired.state !== 'ended' && ours.length !== live.length)
    throw new Error(`${ours.length} lines of ours, not ${live.length}`)
  if (observed?.duplicateIds?.length) throw new Error(`the order is there ${observed.duplicateIds.length + 1} times`)
  return observed
}

function require(holds: boolean, message: string): void {
  if (!holds) throw new Error(message)
}

export const CHECKS: readonly Check[] = [
  {
    name: 'an unknown order is undefined, a new one is there with everything that was written',
    async run(under) {
      const desired = wanted(under, 'new')
      require((await under.backend.observe(desired.key)) === undefined, 'an unknown order is there')
      const observed = await bring(under, desired)
      const budgets = observed?.lines.map(({ settings }) => settings.budgetMicros)
      require(budgets?.every((budget) => budget === under.settings.budgetMicros) === true, `budgets are ${budgets?.join(', ')}`)
    },
  },
  {
    name: 'every step may be repeated',
    async run(under) {
      const desired = wanted(under, 'twice')
      for (const step of await stepsFor(under, desired)) {
        await runStep(under.backend, desired.key, step)
        await runStep(under.backend, desired.key, step)
      }
      await requireThere(under, desired)
    },
  },
  {
    name: 'a crash between any two steps doubles nothing and loses nothing',
    async run(under) {
      const all = (await stepsFor(under, wanted(under, 'crash'))).length
      for (let done = 0; done <= all; done++) {
        const desired = wanted(under, `crash_${done}`)
        for (const step of (await stepsFor(under, desired)).slice(0, done)) await runStep(under.backend, desired.key, step)
        await bring({ ...under, backend: under.reopen() }, desired)
      }
    },
  },
  {
    name: 'a crash after a step whose answer is lost repeats it in the next process, and doubles nothing',
    async run(under) {
      const desired = wanted(under, 'lost')
      for (const step of await stepsFor(under, desired)) {
        await runStep(under.backend, desired.key, step)
        await runStep(under.reopen(), desired.key, step)
      }
      await requireThere({ ...under, backend: under.reopen() }, desired)
    },
  },
  {
    name: 'a crash between any two calls of a step doubles nothing and loses nothing',
    async run(under) {
      if (!under.dying) return
      for (let calls = 1, ended = false; !ended; calls++) {
        const desired = wanted(under, `call_${calls}`)
        ended = await bring({ ...under, backend: under.dying(calls) }, desired).then(
          () => true,
          () => false,
        )
        await bring({ ...under, backend: under.reopen() }, desired)
      }
    },
  },
  {
    name: 'two processes that bring the same order there make one',
    async run(under) {
      const desired = wanted(under, 'both')
      for (const step of await stepsFor(under, desired))
        await Promise.all([runStep(under.backend, desired.key, step), runStep(under.backend, desired.key, step)])
      await requireThere(under, desired)
    },
  },
  {
    name: 'orders of the same id of two publishers are two orders',
    async run(under) {
      const desired = wanted(under, 'shared')
      await bring(under, desired)
      const other = { ...desired, key: { ...desired.key, tenantId: 'other' } }
      require((await under.backend.observe(other.key)) === undefined, 'the order of another publisher is there')
    },
  },
  {
    name: 'budget and flight can change, where it says so',
    async run(under) {
      if (!under.backend.capabilities.changesLines) return
      const desired = wanted(under, 'changes')
      await bring(under, desired)
      const settings = { ...under.settings, budgetMicros: under.settings.budgetMicros * 2, endsAt: '2027-01-01T00:00:00.000Z' }
      const observed = await bring(under, withLine(desired, { settings }))
      const budgets = observed?.lines.map((each) => each.settings.budgetMicros).sort()
      require(budgets?.includes(settings.budgetMicros) === true, `budgets are ${budgets?.join(', ')}`)
    },
  },
  {
    name: 'orders and lines pause and go on, where it says so',
    async run(under) {
      if (!under.backend.capabilities.pauses) return
      const desired = wanted(under, 'pauses')
      await bring(under, desired)
      const paused = await bring(under, withLine({ ...desired, state: 'paused' }, { state: 'paused' }))
      require(paused?.state === 'paused', `a paused order is ${paused?.state}`)
      const active = await bring(under, desired)
      require(active?.state === 'active', `an order that goes on is ${active?.state}`)
    },
  },
  {
    name: 'a line and an order end, where it says so, and stay there to be reported',
    async run(under) {
      if (!under.backend.capabilities.ends) return
      const desired = wanted(under, 'ends')
      await bring(under, desired)
      if (under.backend.capabilities.changesLines) await bring(under, withLine(desired, { state: 'ended' }))
      const ended = await bring(under, { ...desired, state: 'ended' })
      require(ended?.state === 'ended', `an ended order is ${ended?.state ?? 'gone'}`)
    },
  },
  {
    name: 'creatives change and leave a line, where it says so',
    async run(under) {
      const { creatives, dissociates } = under.backend.capabilities
      if (!creatives || !dissociates) return
      const desired = wanted(under, 'creatives')
      await bring(under, desired)
      await bring(under, { ...desired, creatives: [{ ...BANNER, contentVersion: 'v2' }] })
      const without = withLine({ ...desired, creatives: [{ ...BANNER, contentVersion: 'v2' }] }, { associations: [] })
      const observed = await bring(under, without)
      const shown = observed?.lines.find(({ externalId }) => externalId === desired.lines[0]?.externalId)?.associations
      require(shown?.length === 0, 'a creative that left a line is still there')
    },
  },
  {
    name: 'what someone changes there is seen, and healed',
    async run(under) {
      const desired = wanted(under, 'drift')
      const [first] = desired.lines
      if (typeof under.tamper === 'string' || !first) return
      const { backend } = under
      const drift = async () => findDrift(desired, [], await backend.observe(desired.key), backend.capabilities)
      await bring(under, desired)
      require((await drift()).length === 0, 'there is drift although nobody changed anything')
      const { subject, field, heals } = await under.tamper(desired, first.externalId)
      const named = subject === 'line' ? `line ${first.externalId}` : subject
      const isSeen = async () => (await drift()).some((one) => one.subject === named && one.field === field)
      require(await isSeen(), 'the change is not seen')
      await bring(under, desired)
      require((await isSeen()) !== heals, heals ? 'the change is not undone' : 'what someone added is gone')
    },
  },
  {
    name: 'several orders are seen at once as each is alone, where it says so',
    async run(under) {
      const { backend } = under
      const [one, other] = ['several_1', 'several_2'].map((id) => wanted(under, id))
      if (!backend.observeAll || !one || !other) return
      for (const each of [one, other]) await bring(under, each)
      const unknown = { ...one.key, externalId: 'several_3' }
      const keys = [other.key, unknown, one.key]
      const requireSame = async () => {
        const [alone, together] = [await Promise.all(keys.map((key) => backend.observe(key))), await backend.observeAll?.(keys)]
        require(sameValue(together, alone), `together ${JSON.stringify(together)}, alone ${JSON.stringify(alone)}`)
      }
      await requireSame()
      const [first] = other.lines
      if (typeof under.tamper === 'string' || !first) return
      await under.tamper(other, first.externalId)
      await requireSame()
    },
  },
  {
    name: 'it answers for itself, its inventory, forecasts and delivery',
    async run(under) {
      const { backend, settings } = under
      await backend.check()
      require((await backend.listInventory('acme')).units.length > 0, 'there is no inventory')
      const query = {
        productId: settings.productId,
        flight: settings,
        impressions: 1,
        dailyCapacity: 1_000_000,
        held: new HeldInventory(new Map()),
      }
      const [forecast] = await backend.forecast('acme', [query])
      require(forecast?.productId === settings.productId, 'the forecast is of another product')
      const desired = wanted(under, 'report')
      await bring(under, desired)
      await under.approve?.(desired)
      const { rows } = await backend.report({ tenantId: 'acme', orderExternalIds: ['report'], since: '2000-01-01' })
      const ids = desired.lines.map(({ externalId }) => externalId)
      require(rows.every(({ lineExternalId }) => ids.includes(lineExternalId)), 'the report has lines of other orders')
      const keys = rows.map((row) => JSON.stringify([row.lineExternalId, row.creativeExternalId, row.period]))
      require(new Set(keys).size === keys.length, 'the report has a row twice')
      require(rows.every((row) => Number.isSafeInteger(row.impressions) && row.impressions >= 0), 'counts are not whole')
    },
  },
  {
    name: 'a refusal of a line says so with its reason, is no outage, and writes nothing',
    async run(under) {
      const { refuses } = under
      if (typeof refuses === 'string') return
      const desired = wanted(under, 'refused', { settings: wanted(under, 'refused').settings })
      const [step] = await stepsFor(under, desired)
      if (step) await runStep(under.backend, desired.key, step)
      const error = await under.backend.putLine(desired.key, { externalId: 'refused_pkg_1' }, refuses).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      require(error !== undefined, 'the line is not refused')
      const refusal = refusalOf(error)
      require(refusal?.of === 'order', `a refusal is taken for ${refusal ? 'a wrong setup' : 'an outage'}: ${String(error)}`)
      require((refusal?.reason ?? '') !== '', 'no reason is given')
      require((await under.backend.observe(desired.key))?.lines.length === 0, 'what was refused is there')
    },
  },
]

/** What is wrong with an ad server, by check; empty for one that does everything. */
export async function faultsOf(open: () => Promise<BackendUnderTest>): Promise<readonly string[]> {
  const faults: string[] = []
  for (const check of CHECKS) {
    const under = await open()
    await check.run(under).catch((error: unknown) => faults.push(`${check.name}: ${String(error)}`))
    await under.close?.()
  }
  return faults
}

/** A check of an ad server over HTTP is up to a few hundred calls. */
const PATIENCE = 60_000

/** The suite for one kind of ad server. */
export function describeBackend(name: string, open: () => Promise<BackendUnderTest>): void {
  describe(`the ad server ${name}`, () => {
    test.each(CHECKS)(
      '$name',
      async (check) => {
        const under = await open()
        try {
          await check.run(under)
        } finally {
          await under.close?.()
        }
      },
      PATIENCE,
    )
  })
}
