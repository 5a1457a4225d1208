import { clickAddress } from '../../domain/creative/landing-page.ts'
import { type CreativeUse, usesOfCreative } from '../../store/creative/creative-uses.ts'
import { findOwnProduct } from '../../store/product/product-list.ts'
import { type ActContext, defineAct } from '../act.ts'
import { READERS } from '../roles.ts'
import { about, integer, listOf, moment, object, optional, orNull, string, word } from '../shape.ts'
import { CREATIVE_STATUSES, PREVIEW_MEMBERS } from './creative-shapes.ts'
import { CREATIVE, CREATIVE_COMMAND, findNamedCreative } from './find-creative.ts'
import { renderedCreative } from './rendered-creative.ts'

/** Packages of a creative that are shown at most. */
const MOST_USES = 100

const use = object({
  media_buy_id: string,
  advertiser: orNull(string),
  package_id: string,
  product_id: string,
  product: orNull(string),
  placements: optional(about('names of those it was chosen for; absent: all of the package', listOf(string))),
  starts_at: moment,
  ends_at: moment,
  ended_by: about('the decision that ended the order before its flight', orNull(word('canceled', 'rejected'))),
})

const shownCreative = object({
  creative_id: string,
  buyer: string,
  account: string,
  name: string,
  format: string,
  format_agent: string,
  status: word(...CREATIVE_STATUSES),
  reason: orNull(string),
  assets: listOf(object({ name: string, type: string, url: orNull(string), text: string })),
  click_to: about('where a click leads; null: no asset says it', orNull(string)),
  tags: listOf(string),
  created_at: moment,
  updated_at: moment,
  approved_at: orNull(moment),
  version: about('grows with each change', integer),
  used_in: about(`packages that it is assigned to, those that end last first; at most ${MOST_USES}`, listOf(use)),
  preview: about('how it shows; null: nothing of it can be shown', orNull(object(PREVIEW_MEMBERS))),
})

/** One creative with its assets. Throws CREATIVE_NOT_FOUND. */
export const showCreative = defineAct({
  name: 'creatives.show',
  route: 'GET /creatives/{buyer}/{account}/{creative}',
  id: 'showCreative',
  roles: READERS,
  summary: 'One creative with what it is made of. Account - stands for none.',
  fields: CREATIVE,
  answer: shownCreative,
  command: CREATIVE_COMMAND,
  async run(context, named) {
    const found = await findNamedCreative(context.store.read, context.tenantId, named)
    const shown = await renderedCreative(context, found.content)
    const { creativeId, accountId, content, status, statusReason, createdAt, updatedAt, approvedAt, revision } = found
    const key = { tenantId: context.tenantId, principalId: named.buyer, accountId, creativeId }
    const uses = await usesOfCreative(context.store.read, key, MOST_USES)
    return {
      creative_id: creativeId,
      buyer: named.buyer,
      account: accountId,
      name: content.name,
      format: content.formatId.id,
      format_agent: content.formatId.agent_url,
      status,
      reason: statusReason ?? null,
      assets: Object.entries(content.assets).map(([name, asset]) => presentAsset(name, { ...asset })),
      click_to: clickAddress(content.assets) ?? null,
      tags: content.tags,
      created_at: createdAt,
      updated_at: updatedAt,
      approved_at: approvedAt ?? null,
      version: revision,
      used_in: await presentUses(context, uses),
      preview: shown ? { layout: shown.layout, ...(shown.dimensions && { dimensions: shown.dimensions }) } : null,
    }
  },
})

/** Its address when it has one, else what it holds. */
function presentAsset(name: string, { asset_type: type, url, content, ...others }: Readonly<Record<string, unknown>>) {
  return {
    name,
    type: typeof type === 'string' ? type : '',
    url: typeof url === 'string' ? url : null,
    text: typeof content === 'string' ? content : JSON.stringify(others),
  }
}

async function presentUses({ store, tenantId }: ActContext, uses: readonly CreativeUse[]) {
  const ids = [...new Set(uses.map(({ productId }) => productId))]
  const found = await Promise.all(ids.map((id) => findOwnProduct(store.read, tenantId, id)))
  const products = new Map(found.flatMap((each) => (each ? [[each.productId, each.document] as const] : [])))
  return uses.map(({ mediaBuyId, advertiser, packageId, productId, placementIds, startsAt, endsAt, decision }) => {
    const product = products.get(productId)
    const names = new Map(product?.placements?.map(({ placement_id: id, name }) => [id, name]))
    return {
      ...{ media_buy_id: mediaBuyId, advertiser: advertiser || null, package_id: packageId, product_id: productId },
      product: product?.name ?? null,
      ...(placementIds && { placements: placementIds.map((id) => names.get(id) ?? id) }),
      ...{ starts_at: startsAt, ends_at: endsAt, ended_by: decision },
    }
  })
}
