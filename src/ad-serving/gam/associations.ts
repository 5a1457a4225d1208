import { groupBy } from '../../domain/group-by.ts'
import { AdServerRefusal } from '../refusal.ts'
import type { Message } from './client.ts'
import { GamOutage } from './gam-error.ts'
import type { GamParts } from './gam-parts.ts'
import { inBatches, textOf } from './messages.ts'
import { elementsOf, type SoapParameters, statement, typed } from './soap-elements.ts'

const SERVICE = 'LineItemCreativeAssociationService'
const PAGE = 500
const MOST_PAGES = 20

/** Associations of line items of the network, by id of the line item. */
export async function associationsOf(
  { soap }: Pick<GamParts, 'soap'>,
  lines: readonly string[],
): Promise<ReadonlyMap<string, readonly Message[]>> {
  const found: Message[] = []
  for (const some of inBatches(lines, PAGE)) found.push(...(await associationsOfSome({ soap }, some)))
  return groupBy(found, (each) => textOf(each, 'lineItemId') ?? '')
}

async function associationsOfSome({ soap }: Pick<GamParts, 'soap'>, lines: readonly string[]): Promise<readonly Message[]> {
  const found: Message[] = []
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = `WHERE lineItemId IN (${lines.join(', ')}) ORDER BY lineItemId, creativeId LIMIT ${PAGE} OFFSET ${page * PAGE}`
    const filterStatement = statement(query)
    const [answer] = await soap.call(SERVICE, 'getLineItemCreativeAssociationsByStatement', { filterStatement }, 'repeatable')
    const results = answer ? elementsOf(answer, 'results') : []
    found.push(...results)
    if (results.length < PAGE) return found
  }
  throw new GamOutage(`${lines.length} lines have more than ${MOST_PAGES * PAGE} creatives`, 'none')
}

/** Whether an association serves, or would if its line did. */
export function isShown(association: Message): boolean {
  return textOf(association, 'status') !== 'INACTIVE'
}

/** Weight of an association. */
export function shareOf(association: Message): number {
  return Number(textOf(association, 'manualCreativeRotationWeight') ?? 0)
}

/** A creative that a line is to show. */
export interface Target {
  readonly creativeExternalId: string
  readonly creativeId: string
  /** As it was asked for, in percent. */
  readonly weight: number | null
  /** As it is written. */
  readonly share: number
}

/** What a line is to show, and what it has. */
export interface Wanted {
  readonly targets: readonly Target[]
  readonly there: readonly Message[]
  /** The network does not show it on this line. */
  readonly refuse: (target: Target, refusal: AdServerRefusal) => Promise<void>
}

/** The line item, and the sizes of its player, where it has one. */
export interface ShowingLine {
  readonly lineItemId: string
  readonly sizes: readonly SoapParameters[]
}

/** Makes, changes and activates what a line is to show, then deactivates everything else. One is made at a time, so that a refusal says which. */
export async function bringAssociations(
  parts: Pick<GamParts, 'soap'>,
  line: ShowingLine,
  { targets, there, refuse }: Wanted,
): Promise<void> {
  const found = new Map(there.map((each) => [textOf(each, 'creativeId') ?? '', each]))
  const wanted = new Set(targets.map(({ creativeId }) => creativeId))
  for (const target of targets) {
    const association = found.get(target.creativeId)
    if (!association) await create(parts, line, target, refuse)
    else if (shareOf(association) !== target.share) await write(parts, line, 'updateLineItemCreativeAssociations', target)
  }
  const hidden = [...found].filter(([id, each]) => wanted.has(id) && !isShown(each))
  await act(parts, line, 'ActivateLineItemCreativeAssociations', hidden)
  const others = [...found].filter(([id, each]) => !wanted.has(id) && isShown(each))
  await act(parts, line, 'DeactivateLineItemCreativeAssociations', others)
}

async function create(parts: Pick<GamParts, 'soap'>, line: ShowingLine, target: Target, refuse: Wanted['refuse']): Promise<void> {
  try {
    await write(parts, line, 'createLineItemCreativeAssociations', target)
  } catch (error) {
    if (!(error instanceof AdServerRefusal)) throw error
    // Another process was faster.
    if (!error.reason.startsWith('CommonError.ALREADY_EXISTS')) await refuse(target, error)
  }
}

async function write(
  { soap }: Pick<GamParts, 'soap'>,
  { lineItemId, sizes }: ShowingLine,
  method: 'createLineItemCreativeAssociations' | 'updateLineItemCreativeAssociations',
  { creativeId, share }: Target,
): Promise<void> {
  const association = { lineItemId, creativeId, manualCreativeRotationWeight: share, ...(sizes.length > 0 && { sizes }) }
  const kind = method.startsWith('create') ? 'creation' : 'repeatable'
  await soap.call(SERVICE, method, { lineItemCreativeAssociations: association }, kind)
}

async function act(
  { soap }: Pick<GamParts, 'soap'>,
  { lineItemId }: ShowingLine,
  action: string,
  associations: readonly (readonly [creativeId: string, association: Message])[],
): Promise<void> {
  if (associations.length === 0) return
  const ids = associations.map(([creativeId]) => creativeId).join(', ')
  const filterStatement = statement(`WHERE lineItemId = ${lineItemId} AND creativeId IN (${ids})`)
  await soap.call(
    SERVICE,
    'performLineItemCreativeAssociationAction',
    { lineItemCreativeAssociationAction: typed(action), filterStatement },
    'repeatable',
  )
}
