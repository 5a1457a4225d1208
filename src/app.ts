import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { AdServer } from './adapters/adapter.ts'
import { createSimulator } from './adapters/simulator.ts'
import { bearerVerifier } from './auth/bearer.ts'
import type { Principal } from './auth/principals.ts'
import type { Verifier } from './auth/verifier.ts'
import type { Config } from './config.ts'
import { startDirectory } from './directory/service.ts'
import { DIRECTORY_PATH, directoryRoute } from './doors/http/directory.ts'
import { healthRoutes } from './doors/http/health.ts'
import { openApiRoute } from './doors/http/openapi.ts'
import { listen, type Routes } from './doors/http/server.ts'
import { createMcpHttpHandler } from './doors/mcp/http.ts'
import type { LaneOptions } from './doors/mcp/lanes.ts'
import { createLog } from './log.ts'
import { createDispatch } from './pipeline/pipeline.ts'
import type { Services } from './pipeline/services.ts'
import type { Dispatch, Task, TransportCredentials } from './pipeline/task.ts'
import { Schemas } from './protocol/schemas.ts'
import { createCatalogueCache } from './store/catalogue-cache.ts'
import type { Store } from './store/database.ts'
import { sweepIdempotency } from './store/idempotency.ts'
import { openSqlite } from './store/sqlite.ts'
import { registerTasks } from './tasks/index.ts'

/** What a test or another door may replace. */
export interface AppOptions {
  readonly clock?: () => Date
  readonly log?: Logger
  readonly schemas?: Schemas
  readonly adServer?: AdServer
}

/** The assembled system without its HTTP listener: what stdio, HTTP and tests share. */
export interface App {
  readonly config: Config
  readonly store: Store
  readonly schemas: Schemas
  readonly services: Services
  readonly tasks: ReadonlyMap<string, Task>
  readonly verifiers: readonly Verifier[]
  readonly dispatch: Dispatch
  readonly clock: () => Date
  readonly log: Logger
  close(): Promise<void>
}

/** Path of the embedded store inside a data folder. */
export function storePath(data: string): string {
  return join(data, 'sales-agent.sqlite')
}

/** Version of this package, as MCP clients see it. */
const VERSION = '0.1.0'

/** How often expired idempotency records are emptied. */
const SWEEP_MS = 10 * 60_000

/** Composes the system: opens the store, loads the schemas, registers the tasks, binds the pipeline. The map of the house. */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = options.log ?? createLog(config.log.level)
  const clock = options.clock ?? (() => new Date())
  const schemas = options.schemas ?? new Schemas()
  mkdirSync(config.data, { recursive: true })
  const store = await openSqlite(storePath(config.data))
  const tasks = registerTasks({ sandbox: config.sandbox })
  const agentUrl = `${config.publicUrl ?? `http://${config.host}:${config.port}`}/mcp`
  schemas.warm([...tasks.values()].map((task) => task.name))
  const verifiers = [bearerVerifier(store, agentUrl)]
  const directory = startDirectory(store, config, { clock, log })
  const services: Services = {
    adServer: options.adServer ?? createSimulator(),
    catalogue: createCatalogueCache(agentUrl),
    directoryLimit: directory.limit,
    wiring: {
      tasks: new Map([...tasks.values()].map((task) => [task.name, task])),
      agentUrl,
      sandbox: config.sandbox,
      idempotency: { replayTtlSeconds: config.idempotency.replayTtlSeconds, inFlightMaxSeconds: config.idempotency.leaseSeconds },
    },
  }
  const dispatch = createDispatch({
    store,
    schemas,
    services,
    tasks,
    verifiers,
    clock,
    log,
    idempotency: {
      ttlMs: config.idempotency.replayTtlSeconds * 1000,
      tombstoneMs: config.idempotency.tombstoneSeconds * 1000,
      leaseMs: config.idempotency.leaseSeconds * 1000,
      waitMs: config.idempotency.waitSeconds * 1000,
    },
  })
  const sweeper = setInterval(() => {
    store.transaction((tx) => sweepIdempotency(tx, clock())).catch((error: unknown) => log.error({ err: error }, 'sweep failed'))
  }, SWEEP_MS).unref()
  return {
    config,
    store,
    schemas,
    services,
    tasks,
    verifiers,
    dispatch,
    clock,
    log,
    async close() {
      clearInterval(sweeper)
      await directory.close()
      await store.close()
    },
  }
}

/** A running server: the app behind its HTTP doors. */
export interface RunningServer extends App {
  readonly port: number
}

/**
 * Binds the port, then composes the app behind it (callers get 503 until it is there), so that a chosen port of 0 is known
 * to everything that advertises an address. `close` drains running calls first.
 */
export async function startServer(config: Config, options: AppOptions = {}): Promise<RunningServer> {
  const log = options.log ?? createLog(config.log.level)
  const routes: { current: Routes } = { current: [] }
  const listener = await listen({ host: config.host, port: config.port, log, drainMs: config.drainSeconds * 1000 }, routes)
  try {
    const app = await createApp({ ...config, port: listener.port }, { ...options, log })
    routes.current = await routesOf(app)
    return {
      ...app,
      port: listener.port,
      async close() {
        await listener.close()
        await app.close()
      },
    }
  } catch (error) {
    await listener.close()
    throw error
  }
}

async function routesOf(app: App): Promise<Routes> {
  const { config, log } = app
  const mcp = await createMcpHttpHandler({
    ...laneOptions(app),
    allowedHosts: allowedHosts(config),
    allowedOrigins: config.allowedOrigins,
    maxBodyBytes: config.maxBodyBytes,
    log,
    newRequestId: randomUUID,
  })
  const directory = directoryRoute({
    read: app.store.read,
    limit: app.services.directoryLimit,
    trustedProxies: config.trustedProxies,
    clock: app.clock,
    log,
  })
  const health = healthRoutes({ store: app.store, schemas: app.schemas })
  return [
    [/^\/mcp$/, (request, response) => mcp(request, response)],
    [/^\/t\/([a-z0-9-]{1,64})\/mcp$/, (request, response, [tenant]) => mcp(request, response, tenant)],
    [DIRECTORY_PATH, directory],
    [/^\/openapi\.json$/, openApiRoute(app.schemas)],
    [/^\/livez$/, health.livez],
    [/^\/readyz$/, health.readyz],
  ]
}

/** What every MCP door of an app shares. */
export function laneOptions(app: App): LaneOptions {
  return {
    dispatch: app.dispatch,
    listTasks: (credentials) => visibleTasks(app, credentials),
    schemas: app.schemas,
    serverInfo: { name: 'adcp-sales-agent', version: VERSION },
    instructions: 'AdCP sales agent: start with get_adcp_capabilities, then get_products.',
  }
}

/** Tasks that a caller may see in `tools/list`: the controller only for sandbox agents. A bad credential sees the public view. */
async function visibleTasks(app: App, credentials: TransportCredentials): Promise<readonly Task[]> {
  const principal = await identify(app, credentials)
  return [...app.services.wiring.tasks.values()].filter((task) => !task.sandboxOnly || principal?.sandbox === true)
}

async function identify(app: App, credentials: TransportCredentials): Promise<Principal | undefined> {
  for (const verifier of app.verifiers) {
    const verdict = await verifier.verify(credentials, app.clock())
    if (verdict.kind !== 'absent') return verdict.kind === 'verified' ? verdict.principal : undefined
  }
  return undefined
}

/** Host values that a page in somebody's browser cannot bend to this server (DNS rebinding; MCP transports, Security). */
function allowedHosts(config: Config): readonly string[] {
  const own = config.publicUrl === undefined ? [] : [new URL(config.publicUrl).host]
  return [...own, ...config.allowedHosts, config.host, 'localhost', '127.0.0.1', '[::1]']
}
