import type { IncomingMessage, ServerResponse } from 'node:http'
import { type PublisherBrands, publisherBrandJson } from '../../domain/brand/publisher-brand.ts'
import { type AgentAddress, adagentsJson, brandJson } from '../../domain/identity/documents.ts'
import type { Db } from '../../store/database.ts'
import { findPublicTenant, findTenant } from '../../store/identity/tenants.ts'
import { loadPublisherInventory } from '../../store/product/products.ts'
import { readsOnly, respondJson, respondTagged } from './respond.ts'
import type { Route } from './server.ts'

/** Crawlers come daily; verifiers of a key come when it changes. */
const CACHE_CONTROL = 'public, max-age=300'

/** `GET /.well-known/brand.json`: this agent's own entry. 404 while the agent has no https address to publish. */
export function brandJsonRoute(address: AgentAddress): Route {
  const body = isPublishable(address) ? Buffer.from(JSON.stringify(brandJson(address))) : undefined
  return async (request, response) => answer(request, response, body)
}

/** `GET /t/{tenant}/.well-known/brand.json`: the publisher's house, its brands and this agent. */
export function publisherBrandJsonRoute(
  address: AgentAddress,
  read: Db,
  brandsOf: (tenantId: string) => Promise<Omit<PublisherBrands, 'tenantId'>>,
): Route {
  return async (request, response, [tenantId = '']) => {
    const tenant = await findTenant(read, tenantId)
    if (!tenant || !isPublishable(address)) return answer(request, response, undefined)
    const { house, brands } = await brandsOf(tenant.tenantId)
    answer(
      request,
      response,
      Buffer.from(JSON.stringify(publisherBrandJson(address, { tenantId: tenant.tenantId, house, brands }))),
    )
  }
}

/**
 * `GET /.well-known/adagents.json`, and below `/t/{tenant}` those of the others: the file for a publisher's own domain, made from its
 * imported properties. The publisher hosts a copy, or a file whose `authoritative_location` is this address.
 */
export function adagentsJsonRoute(address: AgentAddress, read: Db): Route {
  return async (request, response, [tenantId]) => {
    const tenant = tenantId === undefined ? await findPublicTenant(read) : await findTenant(read, tenantId)
    if (!tenant || !isPublishable(address)) return answer(request, response, undefined)
    const { publisher, properties } = await loadPublisherInventory(read, tenant.tenantId)
    const { name, domain } = publisher ?? tenant
    answer(request, response, Buffer.from(JSON.stringify(adagentsJson(address, { name, domain, properties }))))
  }
}

/** Both files require https URLs. */
function isPublishable({ agentUrl }: AgentAddress): boolean {
  return agentUrl.startsWith('https:')
}

function answer(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): void {
  if (!readsOnly(request, response)) return
  if (!body) {
    const message = 'this agent has no https address to publish (publicUrl or tls)'
    respondJson(response, 404, { error: { code: 'REFERENCE_NOT_FOUND', message } })
    return
  }
  const headers = { 'Cache-Control': CACHE_CONTROL, 'Access-Control-Allow-Origin': '*' }
  respondTagged(request, response, { type: 'application/json', body, headers })
}
