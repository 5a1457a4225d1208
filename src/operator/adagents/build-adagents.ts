import { publicOrigin } from '../../config/config.ts'
import { adagentsJson } from '../../domain/identity/documents.ts'
import { loadStoredProducts } from '../../store/product/products.ts'
import type { OperatorContext } from '../operator-context.ts'
import { requirePublisher } from '../require-publisher.ts'
import { judgeDocument } from './validate-adagents.ts'

/**
 * The adagents.json for a publisher's own domain, with what the official schema has against it; `hostedAt` is where this agent serves it,
 * `properties` are the ids that it authorises. Throws REFERENCE_NOT_FOUND.
 */
export async function buildAdagents({ store, config, schemas, clock }: OperatorContext, tenantId: string) {
  const tenant = await requirePublisher(store.read, tenantId)
  const { publisher, properties } = await loadStoredProducts(store.read, tenantId)
  const { name, domain } = publisher ?? tenant
  const origin = publicOrigin(config)
  const agentUrl = `${origin}/mcp`
  const document = adagentsJson({ agentUrl }, { name, domain, properties })
  return {
    document,
    domain,
    agentUrl,
    hostedAt: `${origin}${tenant.isPublicDefault ? '' : `/t/${tenantId}`}/.well-known/adagents.json`,
    // Without properties of its own, the publisher's domain is one: the site.
    properties: properties.length > 0 ? properties.map(({ property_id }) => property_id) : ['site'],
    verdict: await judgeDocument(document, { schemas, now: clock() }, domain),
  }
}
