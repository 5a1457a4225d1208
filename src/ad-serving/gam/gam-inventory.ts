import type { InventoryPage, InventoryUnit } from '../backend.ts'
import type { GamClient, GamPage, Message } from './client.ts'
import { idOf, messageOf, messagesOf, nameOf, textOf } from './messages.ts'

/** A collection of what can be sold. */
interface Kind {
  readonly collection: string
  readonly member: string
  readonly unit: (message: Message) => InventoryUnit
}

const ACTIVE = 'status = ACTIVE'

const KINDS: readonly Kind[] = [
  { collection: 'adUnits', member: 'adUnits', unit: adUnitOf },
  { collection: 'placements', member: 'placements', unit: (message) => ({ ...namedOf(message), kind: 'placement' }) },
  { collection: 'customTargetingKeys', member: 'customTargetingKeys', unit: (message) => ({ ...namedOf(message), kind: 'key' }) },
  { collection: 'customTargetingValues', member: 'customTargetingValues', unit: keyValueOf },
]

/** What the network has that is active: ad units, placements, keys and their values, a page of at most 1,000 at a time. */
export async function gamInventory(client: GamClient, after = '0:'): Promise<InventoryPage> {
  const [index = '', ...rest] = after.split(':')
  const token = rest.join(':')
  const at = Number(index)
  const kind = KINDS[at]
  if (!kind) throw new Error(`there is no page "${after.slice(0, 50)}"; take the one that the page before named`)
  const page: GamPage = await client.page(`${client.network}/${kind.collection}`, kind.member, {
    filter: ACTIVE,
    ...(token !== '' && { after: token }),
  })
  const next = page.next === undefined ? (at + 1 < KINDS.length ? `${at + 1}:` : undefined) : `${at}:${page.next}`
  return { units: page.items.map(kind.unit), ...(next !== undefined && { next }) }
}

function namedOf(message: Message) {
  const name = nameOf(message)
  return { id: idOf(name), name: textOf(message, 'displayName') ?? textOf(message, 'adTagName') ?? name }
}

function adUnitOf(message: Message): InventoryUnit {
  const parent = textOf(message, 'parentAdUnit')
  const sizes = messagesOf(message, 'adUnitSizes').flatMap((each) => sizeOf(messageOf(each, 'size')))
  return {
    ...namedOf(message),
    kind: 'ad_unit',
    ...(parent !== undefined && { parentId: idOf(parent) }),
    ...(sizes.length > 0 && { sizes }),
  }
}

function keyValueOf(message: Message): InventoryUnit {
  const key = textOf(message, 'customTargetingKey')
  return { ...namedOf(message), kind: 'value', ...(key !== undefined && { parentId: idOf(key) }) }
}

/** A size as `width x height`; nothing for one that is fluid. */
export function sizeOf(size: Message | undefined): readonly string[] {
  const { width, height } = size ?? {}
  return typeof width === 'number' && typeof height === 'number' && width > 0 && height > 0 ? [`${width}x${height}`] : []
}
