import type { DesiredOrder } from '../../src/domain/ad-serving/desired-order.ts'
import { trafficName } from '../../src/domain/ad-serving/trafficking.ts'
import type { GamEmulator, NetworkState, Resource } from './gam-emulator.ts'

/** Chance: a number below a bound. */
type Next = (below: number) => number

/** What is at a network of an order of ours, whatever people made of it. */
interface OrderThere {
  readonly order: Resource | undefined
  readonly lines: readonly Resource[]
  readonly associations: readonly Resource[]
  readonly creatives: readonly Readonly<Record<string, unknown>>[]
}

function orderThere(state: NetworkState, orderId: string, wanted: DesiredOrder): OrderThere {
  const order = state.orders.find(({ name }) => name === orderId)
  const lines = state.lineItems.filter((line) => line.order === orderId)
  const names = new Set(lines.map(({ name }) => name))
  const own = new Set(wanted.creatives.map(trafficName))
  return {
    order,
    lines,
    associations: state.associations.filter(({ lineItem }) => names.has(String(lineItem))),
    creatives: state.soapCreatives.filter(({ name }) => own.has(String(name))),
  }
}

/** Edits one thing of an order at a network as a person does. Gives what takes the edit back; undefined: nothing that the order is found by was touched. */
export async function editAsPerson(
  network: GamEmulator,
  orderId: string,
  wanted: DesiredOrder,
  next: Next,
): Promise<(() => Promise<unknown>) | undefined> {
  const { order, lines, associations, creatives } = orderThere(await network.control(), orderId, wanted)
  const set = (change: Resource) => network.control({ set: change, brief: true })
  const line = lines[next(Math.max(1, lines.length))]
  const association = associations[next(Math.max(1, associations.length))]
  const creative = creatives[next(Math.max(1, creatives.length))]
  const edits: readonly (() => Promise<(() => Promise<unknown>) | undefined>)[] = [
    async () => {
      if (order) await set({ name: order.name, notes: 'call Bob' })
      return undefined
    },
    async () => {
      if (!order) return undefined
      await set({ name: order.name, displayName: 'Bob', externalOrderId: '7' })
      return () => set({ name: order.name, displayName: order.displayName, externalOrderId: order.externalOrderId })
    },
    async () => {
      if (!line) return undefined
      await set({ name: line.name, displayName: 'Bob', externalLineItemId: 'his' })
      return () => set({ name: line.name, displayName: line.displayName, externalLineItemId: line.externalLineItemId })
    },
    async () => {
      if (line) await set({ name: line.name, goal: { goalType: 'LIFETIME', unitType: 'IMPRESSIONS', units: '1' }, notes: 'mine' })
      return undefined
    },
    async () => {
      if (line?.status === 'INACTIVE' || line?.status === 'READY')
        await network.control({ act: { collection: 'lineItems', action: 'batchPause', names: [line.name] }, brief: true })
      return undefined
    },
    async () => {
      if (creative)
        await network.control({
          soapCreative: { id: String(creative.id), altText: 'Boots', snippet: '<b>Boots</b>' },
          brief: true,
        })
      return undefined
    },
    async () => {
      if (association) {
        const { lineItem, creative: shown } = association
        await network.control({ associate: { line: String(lineItem), creative: String(shown), status: 'INACTIVE' }, brief: true })
      }
      return undefined
    },
    async () => {
      if (line) await network.control({ associate: { line: line.name, creative: 'networks/4711/creatives/5' }, brief: true })
      return undefined
    },
  ]
  return edits[next(edits.length)]?.()
}

/** What of an order is not at the network as it was reported to be, in words. `orderId`: its resource name. */
export function untrue(state: NetworkState, orderId: string, wanted: DesiredOrder): readonly string[] {
  const { order, lines, associations, creatives } = orderThere(state, orderId, wanted)
  const id = wanted.key.externalId
  const shown = creatives.map((creative) => `networks/4711/creatives/${creative.id}`).sort()
  const faulty = wanted.lines.flatMap(({ externalId }) => {
    const [own, ...others] = lines.filter((line) => line.externalLineItemId === externalId && line.archived !== true)
    if (!own || others.length > 0) return [`${others.length + (own ? 1 : 0)} lines ${externalId}`]
    const active = associations.filter(({ lineItem, status }) => lineItem === own.name && status === 'ACTIVE')
    return [
      ...(['READY', 'INACTIVE', 'DELIVERING'].includes(String(own.status)) ? [] : [`${externalId} is ${own.status}`]),
      ...(JSON.stringify(active.map(({ creative }) => creative).sort()) === JSON.stringify(shown)
        ? []
        : [`${externalId} shows others`]),
      ...(JSON.stringify(own.goal).includes('"1"') ? [`${externalId} has a goal of 1`] : []),
    ]
  })
  return [
    ...(order?.status === 'APPROVED' && order.archived !== true ? [] : [`${id} does not run`]),
    ...(order?.displayName === wanted.settings.name ? [] : [`${id} has another name`]),
    ...faulty,
    ...(creatives.length === wanted.creatives.length ? [] : [`${creatives.length} creatives of ${id}`]),
    ...(JSON.stringify(creatives).includes('Boots') ? [`${id} shows boots`] : []),
  ]
}
