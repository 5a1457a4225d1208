import type { SIUIElement } from '@adcp/sdk/types'
import type { ConversationOffering, OfferedProduct } from '../../domain/brand/brands-file.ts'
import { productElement } from '../../domain/si/offering.ts'
import type { SessionFacts } from '../../domain/si/session.ts'
import type { BrandSet } from '../../features/brands/brand-registry.ts'
import type { Reply } from '../../features/sponsored-intelligence/si-host.ts'
import type { Services } from '../../pipeline/services.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { sessionPlace } from '../../store/si/si-sessions.ts'

/** One message of a conversation. */
export interface Line {
  readonly from: 'user' | 'brand'
  readonly text: string
}

/** Lines that are stored: enough to sum a conversation up, and a bound on what a session can hold. */
const MAX_LINES = 100

/** An offering of the publisher. Throws REFERENCE_NOT_FOUND. */
export function offeringNamed(brandSet: BrandSet, offeringId: string): ConversationOffering {
  const offering = brandSet.offeringsById.get(offeringId)
  if (offering) return offering
  throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such offering', { field: 'offering_id' })
}

/** The name of a brand in its first language. */
export function brandNameOf({ brands }: Pick<BrandSet, 'brands'>, brandId: string): string {
  return Object.values(brands.get(brandId)?.names[0] ?? {})[0] ?? brandId
}

/** Products of an offering by their ids, in that order; those that are gone are left out. */
export function productsOf(offering: ConversationOffering | undefined, ids: readonly string[]): readonly OfferedProduct[] {
  return ids.flatMap((id) => offering?.products?.filter((product) => product.product_id === id) ?? [])
}

/** The words and the visual components of a reply, as far as the host can render them. */
export function presentReply(reply: Reply, { capabilities }: SessionFacts) {
  const components: readonly string[] = capabilities.components?.standard ?? []
  const elements = reply.products.flatMap((product): SIUIElement[] => {
    const element = productElement(product, components)
    return element ? [element] : []
  })
  const canBuy = reply.handoff === 'transaction' && capabilities.commerce?.acp_checkout === true
  const button: SIUIElement = { type: 'action_button', data: { label: 'Check out', action: 'acp_checkout' } }
  const all = [...elements, ...(canBuy && components.includes('action_button') ? [button] : [])]
  return { message: reply.message, ...(all.length > 0 && { ui_elements: all }) }
}

/** What a session goes on from after a reply. */
export function factsAfter(facts: SessionFacts, reply: Reply): SessionFacts {
  const shown = reply.products.length > 0 ? reply.products.map(({ product_id: id }) => id) : facts.shown
  const wanted = reply.wanted?.product_id ?? facts.wanted
  return { ...facts, shown, ...(wanted !== undefined && { wanted }) }
}

/** The transcript with what was said since, sealed. */
export function continued(
  { conversations }: Pick<Services, 'conversations'>,
  sessionId: string,
  before: string | undefined,
  lines: readonly Line[],
): string {
  const known = before === undefined ? [] : linesOf({ conversations }, sessionId, before)
  return conversations.seal(JSON.stringify([...known, ...lines].slice(-MAX_LINES)), sessionPlace(sessionId, 'transcript'))
}

/** What was said in a session. */
export function linesOf({ conversations }: Pick<Services, 'conversations'>, sessionId: string, sealed: string): readonly Line[] {
  const lines: Line[] = JSON.parse(conversations.open(sealed, sessionPlace(sessionId, 'transcript')))
  return lines
}
