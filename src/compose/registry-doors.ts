import { publicOrigin } from '../config/config.ts'
import { authorizationLines } from '../features/directory/export.ts'
import { requireExported } from '../features/registry/authorization-operations.ts'
import { createFeedPages } from '../features/registry/feed-pages.ts'
import { VERSION } from '../platform/version.ts'
import type { BackOffOptions } from '../security/auth/back-off.ts'
import { platformIdentity } from '../security/auth/platform-identity.ts'
import { authorizationSnapshotRoute } from '../transports/http/authorization-snapshot.ts'
import { DIRECTORY_PAGES_PATH, directoryPagesRoute } from '../transports/http/directory-pages/route.ts'
import { registryRoutes } from '../transports/http/registry.ts'
import { REGISTRY_STREAMS, registryStreamRoute } from '../transports/http/registry-stream.ts'
import type { Routes } from '../transports/http/server.ts'
import type { JsonPostOptions } from '../transports/json-rpc/json-post.ts'
import { registryMcpRoute } from '../transports/mcp/registry.ts'
import { serverInfo } from '../transports/mcp/server-info.ts'
import type { App } from './app.ts'

interface DoorOptions extends Omit<JsonPostOptions, 'aliasHeader'> {
  readonly newRequestId: () => string
  /** How the guessing of credentials is slowed down. */
  readonly backOff: BackOffOptions
}

/** The transports of the registry. Reading is for everybody over HTTP; what writes, and MCP, needs a credential for `/api`. */
export function registryDoors(app: App, { backOff, ...posts }: DoorOptions): Routes {
  const { config, clock, store } = app
  const { registry } = app.registry
  const identifyPlatform = platformIdentity({
    store,
    origin: publicOrigin(config),
    oauth: app.oauth?.tokens,
    backOff,
  })
  const shared = { ...posts, registry, identify: identifyPlatform, clock }
  const { feed, export: offersExport } = config.directory
  return [
    ...registryRoutes(shared),
    [DIRECTORY_PAGES_PATH, directoryPagesRoute(shared)],
    ...(feed
      ? [
          [
            /^\/api\/registry\/feed\/stream$/,
            registryStreamRoute({
              ...shared,
              store,
              pages: createFeedPages(registry, store, REGISTRY_STREAMS.inAll),
              streams: app.streams.registry,
              refused: (limit) => app.metrics?.refused('registry_stream', limit),
            }),
          ] as const,
        ]
      : []),
    ...(offersExport
      ? [
          [
            /^\/api\/registry\/authorizations\/snapshot$/,
            authorizationSnapshotRoute({
              store,
              feed,
              log: posts.log,
              lines: () => authorizationLines(store.read),
              requireExported,
            }),
          ] as const,
        ]
      : []),
    [
      /^\/api\/mcp$/,
      registryMcpRoute({ ...shared, aliasHeader: false, serverInfo: serverInfo('adcp-registry', 'AdCP registry', VERSION) }),
    ],
  ]
}
