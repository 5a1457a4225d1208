import type { DirectTargeting } from '../../ad-serving/embedded/direct-targeting.ts'
import type { Placement, PlacementDocument } from '../../ad-serving/embedded/placement.ts'
import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import { pageScript, placeElement, vastAddress } from '../../domain/ad-serving/place-tag.ts'
import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Schemas, Validate } from '../../protocol/schemas.ts'
import type { Db } from '../../store/database.ts'
import { listEmbeddedPlacements, putEmbeddedPlacement, removeEmbeddedPlacement } from '../../store/embedded/placements.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { type ActContext, defineAct, type Watching } from '../act.ts'
import { DEFAULT_PAGE, flag, paged, type Values } from '../fields.ts'
import { requireUnreserved } from '../reserved-ids.ts'
import { READERS, SELLERS } from '../roles.ts'
import { list, object, pageOf, string } from '../shape.ts'
import { requireAddressable } from '../text-form.ts'
import { PLACEMENT, PLACEMENT_FIELDS, placementDetails, placementShape, type ShownPlacement } from './placement-shapes.ts'
import { linesAt, readPlacement, readPlacements, readStoredPlacement } from './read-placements.ts'

// Several acts in one file: they list, change and remove the same thing.

/** Far more than publishers have; decisions hold them in memory. */
const MOST_PLACEMENTS = 2_000

export const listPlacements = defineAct({
  name: 'placements.list',
  route: 'GET /placements',
  id: 'listPlacements',
  roles: READERS,
  summary: 'Places of the pages: those that people set up for the embedded ad server, and those that products name.',
  fields: paged('placements'),
  answer: pageOf(placementShape),
  command: {
    columns: [
      ['PLACEMENT', (row) => row.placement_id],
      ['NAME', (row) => row.name],
      ['SHOWS', (row) => shows(row)],
      ['STATUS', (row) => (row.is_set_up ? row.status : 'not set up')],
      ['PRODUCTS', (row) => row.products.join(',')],
    ],
  },
  async run({ store, tenantId }, { cursor, limit = DEFAULT_PAGE }) {
    const after = (await readPlacements(store.read, tenantId)).filter(
      ({ placement_id: id }) => cursor === undefined || id > cursor,
    )
    const page = after.slice(0, limit)
    return list(page, after.length > limit ? (page.at(-1)?.placement_id ?? null) : null)
  },
})

function shows({ kind, sizes }: Pick<ShownPlacement, 'kind' | 'sizes'>): string {
  return sizes.length === 0 ? kind : `${kind} ${sizes.join(' ')}`
}

/** Throws REFERENCE_NOT_FOUND. */
export const showPlacement = defineAct({
  name: 'placements.show',
  route: 'GET /placements/{placement}',
  id: 'showPlacement',
  roles: READERS,
  summary: 'A placement with its tag, the products that sell it, and the lines that may be shown there.',
  fields: { placement: PLACEMENT },
  answer: placementDetails,
  command: {
    text: (row) => [
      `${row.placement_id} (${row.is_set_up ? row.status : 'not set up'}): ${row.name}, ${shows(row)}`,
      ...[row.script, row.tag].filter((line) => line !== ''),
      `products: ${row.products.join(', ') || 'none'}`,
      ...row.lines.map((line) => `line ${line.line_id} of ${line.order_id}, ${line.priority}`),
    ],
  },
  run: (context, { placement }) => details(context, placement),
})

async function details(context: ActContext, id: string) {
  const { store, tenantId, config, clock } = context
  const found = await readPlacement(store.read, tenantId, id)
  if (!found) throw noPlacement(id)
  const origin = adsOrigin(config.ads, publicOrigin(config))
  const isVideo = found.kind === 'video'
  return {
    ...found,
    script: isVideo ? '' : pageScript(origin, tenantId),
    tag: isVideo ? vastAddress(origin, tenantId, id) : placeElement({ ...found, place: id }),
    lines: await linesAt(store.read, tenantId, id, clock()),
  }
}

/** Throws INVALID_REQUEST for what does not fit together, and beyond {@link MOST_PLACEMENTS}. */
export const savePlacement = defineAct({
  name: 'placements.save',
  route: 'PUT /placements/{placement}',
  id: 'savePlacement',
  roles: SELLERS,
  summary: 'Sets a placement of the embedded ad server up, or changes it; what is not sent has its default.',
  fields: { ...PLACEMENT_FIELDS, only_new: flag('only when nothing is set for it yet: refused otherwise') },
  answer: placementDetails,
  command: {
    text: ({ placement_id: id, name }) => [`${id} is set up: ${name}`],
  },
  watch: watchedPlacement,
  async run(context, { only_new: onlyNew = false, ...values }) {
    const { store, tenantId, config, clock } = context
    const placement = placementIn(context.schemas, values)
    const tenant = await findTenant(store.read, tenantId)
    const timeZone = timeZoneOf(tenant?.settings ?? {}, config.ads.timeZone)
    const document: PlacementDocument = { placement, timeZone }
    await store.transaction(async (tx) => {
      const known = await listEmbeddedPlacements(tx, tenantId)
      const isNew = !known.some(({ placementId }) => placementId === values.placement)
      if (!isNew && onlyNew) {
        const message = `There is a placement ${values.placement}; choose another id, or change that one.`
        throw new AdcpError('CONFLICT', message, { field: 'placement' })
      }
      if (isNew) requireUnreserved('placement', values.placement)
      if (isNew && known.length >= MOST_PLACEMENTS)
        throw invalid('placement', `a publisher sets up at most ${MOST_PLACEMENTS} placements; remove one first`)
      const row = { placementId: values.placement, document: JSON.stringify(document) }
      await putEmbeddedPlacement(tx, tenantId, row, clock())
    })
    return details(context, values.placement)
  },
})

/** Throws REFERENCE_NOT_FOUND for one that nobody set up. */
export const removePlacement = defineAct({
  name: 'placements.remove',
  route: 'DELETE /placements/{placement}',
  id: 'removePlacement',
  roles: SELLERS,
  summary: 'Removes the settings of a placement. Where products still name it, it shows ads without limits of its own.',
  fields: { placement: PLACEMENT },
  answer: object({ placement_id: string }),
  command: { text: ({ placement_id: id }) => [`nothing is set for ${id} any more`] },
  watch: watchedPlacement,
  async run({ store, tenantId }, { placement }) {
    await store.transaction(async (tx) => {
      if (!(await removeEmbeddedPlacement(tx, tenantId, placement))) throw noPlacement(placement)
    })
    return { placement_id: placement }
  },
})

/** What is set for a placement, for the audit log. */
function watchedPlacement(tx: Db, { tenantId }: Watching, { placement }: { readonly placement: string }) {
  return readStoredPlacement(tx, tenantId, placement)
}

function placementIn(schemas: Schemas, values: Values<typeof PLACEMENT_FIELDS>): Placement {
  const { placement: id, name, kind = 'display', sizes = [], available_from: first, available_until: last } = values
  requireAddressable(id, 'placement')
  if (/[\s,]/.test(id)) throw invalid('placement', 'the id has a blank or a comma, which tags cannot ask for')
  if (sizes.length > 0 && kind !== 'display')
    throw invalid('sizes', `only a display placement has sizes; ${kind} takes the room it has`)
  if (first !== undefined && last !== undefined && last < first)
    throw invalid('available_until', `the last day, ${last}, is before the first, ${first}`)
  return {
    ...{ placement_id: id, name, kind, sizes: [...new Set(sizes)], status: values.status ?? 'active' },
    daily_capacity: values.daily_capacity ?? null,
    available_from: first ?? null,
    available_until: last ?? null,
    targeting: targetingIn(schemas, values.targeting ?? {}),
  }
}

function targetingIn(schemas: Schemas, value: Readonly<Record<string, unknown>>): DirectTargeting {
  if (Object.keys(value).length === 0) return {}
  const issues: { readonly pointer: string; readonly message: string }[] = []
  if (isTargeting(value, schemas.validator('own:direct-order.json#/definitions/targeting'), issues)) return value
  const [issue] = issues
  throw new AdcpError('INVALID_REQUEST', `targeting${issue?.pointer ?? ''} ${issue?.message ?? 'is not valid'}`, {
    field: 'targeting',
    issues: issues.map(({ pointer, message }) => ({ pointer: `/targeting${pointer}`, message, keyword: 'targeting' })),
  })
}

/** The schema describes {@link DirectTargeting}. */
function isTargeting(
  value: unknown,
  validate: Validate,
  issues: { readonly pointer: string; readonly message: string }[],
): value is DirectTargeting {
  issues.push(...validate(value))
  return issues.length === 0
}

function noPlacement(id: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no placement ${id}`, { field: 'placement' })
}

function invalid(field: string, message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field })
}
