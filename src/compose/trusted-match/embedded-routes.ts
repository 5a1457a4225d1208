import { respondText } from '../../transports/http/respond.ts'
import type { Routes } from '../../transports/http/server.ts'
import type { EmbeddedProviderParts } from './embedded-provider.ts'

/**
 * The addresses of the provider that the agent is for each publisher: `/trusted-match/{publisher}/context`, `/identity`, `/impression`, `/health`. Loaded with
 * the first request: most agents get none. A publisher's routers are the only ones that are answered, so without keys of its own everything is refused.
 */
export function embeddedProviderRoutes(parts: Omit<EmbeddedProviderParts, 'schemas'>): Routes {
  const providers = new Map<string, ReturnType<typeof load>>()
  const load = async (tenantId: string) => {
    const [{ embeddedProvider }, { matchSchemas }] = await Promise.all([
      import('./embedded-provider.ts'),
      import('../../protocol/match-schemas.ts'),
    ])
    return embeddedProvider({ ...parts, schemas: matchSchemas() }, tenantId)
  }
  const providerOf = async (tenantId: string) => {
    const known = providers.get(tenantId) ?? load(tenantId)
    providers.set(tenantId, known)
    const provider = await known.catch((error: unknown) => {
      parts.log.error({ err: error }, 'the provider of Trusted Match did not start')
      return undefined
    })
    // Unknown publishers are not cached: one may be added later, and requests for invented names must not fill the cache.
    if (!provider) providers.delete(tenantId)
    return provider
  }
  return [
    [
      /^\/trusted-match\/([a-z0-9-]{1,64})\/(context|identity|impression|health)$/,
      async (request, response, [tenantId = '', name = '']) => {
        const provider = await providerOf(tenantId)
        const route = provider && Object.entries(provider).find(([each]) => each === name)?.[1]
        if (route) return route(request, response)
        respondText(response, 404, 'There is no provider at this address.\n')
      },
    ],
  ]
}
