import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { adminApiRoutes } from '../admin-api/routes.ts'
import { type Config, publicOrigin } from '../config/config.ts'
import { listedTasks } from '../pipeline/offered-tasks.ts'
import { isCovered } from '../pipeline/steps/authorize.ts'
import type { PeerOf } from '../platform/net/peer.ts'
import { createRateLimit } from '../platform/net/rate-limit.ts'
import { VERSION } from '../platform/version.ts'
import { publisherIn } from '../security/auth/addressed-publisher.ts'
import type { BackOffOptions } from '../security/auth/back-off.ts'
import { exemptFromLimits } from '../security/auth/call-limits.ts'
import { identify } from '../security/auth/identify.ts'
import { createJudgeToken } from '../security/auth/judge-token.ts'
import { demandSignedMethod } from '../security/auth/signing-policy.ts'
import type { TransportCredentials } from '../security/auth/transport-credentials.ts'
import { createDirectoryReader } from '../store/directory/directory-lookup.ts'
import { listRevokedTokens } from '../store/governance/governance-log.ts'
import { findTenantOfAddress } from '../store/identity/tenants.ts'
import { a2aRoutes } from '../transports/a2a/routes.ts'
import { counted } from '../transports/http/counted.ts'
import {
  DIRECTORY_PATH,
  directoryRoute,
  UNENCODED_DIRECTORY_PATH,
  unencodedDirectoryRoute,
} from '../transports/http/directory.ts'
import { governanceRevocationsRoute } from '../transports/http/governance-revocations.ts'
import { healthRoutes } from '../transports/http/health.ts'
import { adagentsJsonRoute, brandJsonRoute, publisherBrandJsonRoute } from '../transports/http/identity-documents.ts'
import { metricsRoute } from '../transports/http/metrics.ts'
import { openApiRoute } from '../transports/http/openapi.ts'
import { OWN_CHECKS_PATH, ownChecksRoute } from '../transports/http/own-checks.ts'
import { pixelRoute } from '../transports/http/pixel.ts'
import { previewRoute } from '../transports/http/previews.ts'
import { reportingDocumentRoute } from '../transports/http/reporting-documents.ts'
import { reportFileRoute } from '../transports/http/reporting-files.ts'
import { grantRoute, grantStatusRoute, submissionRoute } from '../transports/http/rights.ts'
import type { Routes } from '../transports/http/server.ts'
import { jwksRoute } from '../transports/http/well-known.ts'
import type { MessageDispatchOptions } from '../transports/mcp/dispatch-message.ts'
import { createMcpHttpHandler } from '../transports/mcp/http.ts'
import { instructions } from '../transports/mcp/instructions.ts'
import { rawCallRoute } from '../transports/mcp/raw-call.ts'
import { serverDocumentRoutes } from '../transports/mcp/server-documents.ts'
import { serverInfo } from '../transports/mcp/server-info.ts'
import type { VisibleTasks } from '../transports/mcp/tools.ts'
import { logHealth } from './ad-events.ts'
import type { App } from './app.ts'
import { embeddedOrigin } from './embedded-ad-server.ts'
import { oauthDoors } from './oauth-doors.ts'
import { operatorIn } from './operator.ts'
import { registryDoors } from './registry-doors.ts'
import { reportFileParts } from './report-files.ts'
import { embeddedProviderRoutes } from './trusted-match/embedded-routes.ts'

/** Every HTTP route of an app, by path. */
export async function routesOf(app: App, peerOf: PeerOf): Promise<Routes> {
  const { config, log } = app
  const posts = {
    allowedHosts: allowedHosts(config),
    allowedOrigins: config.allowedOrigins,
    maxBodyBytes: config.maxBodyBytes,
    peerOf,
    checkCredentials: (credentials: TransportCredentials, method?: string) => checkCredentials(app, credentials, method),
    recoveryOf: app.contracts.base.recoveryOf,
    log,
    newRequestId: randomUUID,
  }
  const mcp = createMcpHttpHandler({ ...dispatchOptions(app), ...posts, aliasHeader: config.auth.aliasHeader })
  const directory = directoryRoute({
    reader: createDirectoryReader(app.store.read),
    dataVersion: () => app.store.dataVersion(),
    limit: app.services.directoryLimit,
    clock: app.clock,
    log,
  })
  const lookup = counted(app.metrics, 'list_agent_publishers', directory.bare)
  const address = { agentUrl: app.services.wiring.agentUrl, origin: publicOrigin(config) }
  const limitReads = (request: IncomingMessage) =>
    app.limitCalls({ principal: undefined, isMutating: false, address: peerOf(request).address })
  const judgeToken = createJudgeToken(backOffOf(app), { peerOf, clock: app.clock })
  const health = healthRoutes({
    store: app.store,
    requireSchemas: () => app.contracts.require([...app.tasks.values()].map(({ name }) => name)),
    others: logHealth(config, app.embedded),
    damagedPlaces: app.storeCheck.damagedPlaces,
  })
  return [
    [/^\/mcp$/, { bare: (request, response, _captured, { headers }) => mcp(request, response, headers) }],
    [
      /^\/mcp\/compact$/,
      { bare: (request, response, _captured, { headers }) => mcp(request, response, headers, { compact: true }) },
    ],
    [
      /^\/t\/([a-z0-9-]{1,64})\/(?:rights\/)?mcp(\/compact)?$/,
      {
        bare: (request, response, [publicTenant, compact], { headers }) =>
          mcp(request, response, headers, {
            ...(publicTenant !== undefined && { publicTenant }),
            ...(compact !== undefined && { compact: true }),
          }),
      },
    ],
    ...serverDocumentRoutes({
      ...address,
      version: VERSION,
      tenantOf: (tenantId) => findTenantOfAddress(app.store.read, tenantId),
    }),
    ...a2aRoutes({ ...app, ...posts, version: VERSION }),
    ...(config.signing.grading ? [[/^\/mcp\/adcp\//, rawCallRoute({ ...config, ...app, ...posts })] as const] : []),
    [DIRECTORY_PATH, { bare: app.tracing?.handler('/v1/agents/{agent_url}/publishers', lookup) ?? lookup }],
    [UNENCODED_DIRECTORY_PATH, unencodedDirectoryRoute({ log })],
    [/^\/(?:t\/[a-z0-9-]{1,64}\/)?\.well-known\/jwks\.json$/, jwksRoute(app.keys)],
    [/^\/\.well-known\/governance-revocations\.json$/, governanceRevocationsRoute(() => revocationsOf(app), app.clock)],
    [/^\/\.well-known\/brand\.json$/, brandJsonRoute(address)],
    [
      /^\/t\/([a-z0-9-]{1,64})\/\.well-known\/brand\.json$/,
      publisherBrandJsonRoute(address, app.store.read, async (tenantId) => {
        const { house, brands } = await app.services.brands.load(tenantId)
        return { house, brands: brands.values() }
      }),
    ],
    [/^\/(?:t\/([a-z0-9-]{1,64})\/)?\.well-known\/adagents\.json$/, adagentsJsonRoute(address, app.store.read)],
    ...registryDoors(app, { ...posts, backOff: backOffOf(app) }),
    [/^\/openapi\.json$/, openApiRoute(app.schemas)],
    ...adminApiRoutes({
      operator: operatorIn(app),
      peerOf,
      limit: createRateLimit({
        name: 'admin',
        what: 'admin requests',
        limit: config.limits.adminRequests,
        windowSeconds: 60,
        scope: 'global',
        counters: app.counters,
      }),
      judgeToken,
      schemas: app.schemas,
      log,
    }),
    ...(config.ads.port === undefined ? app.embedded.routes(embeddedOrigin(config), peerOf) : []),
    ...embeddedProviderRoutes({ ...app, products: app.services.products, peerOf }),
    [/^\/pixel$/, pixelRoute],
    [/^\/rights\/(rgt_[0-9a-f-]{36})$/, grantRoute(app.store.read, app.clock)],
    [/^\/rights\/(rgt_[0-9a-f-]{36})\/status$/, grantStatusRoute(app.store.read, app.services.attestations, app.clock)],
    [/^\/rights\/creatives\/(rcs_[0-9a-f-]{36})$/, submissionRoute(app.store.read, address.origin)],
    [
      /^\/reporting\/files\/(reporting-resource\.[0-9a-f]{24})\/([a-z0-9.-]{1,40})$/,
      reportFileRoute(reportFileParts(app, peerOf)),
    ],
    [/^(\/reporting\/[A-Za-z0-9_./-]{1,120})$/, reportingDocumentRoute(address.origin)],
    ...(config.selfCheck.publish ? [[OWN_CHECKS_PATH, ownChecksRoute(app.store.read, limitReads)] as const] : []),
    [/^\/previews\/([A-Za-z0-9_-]{1,64})$/, previewRoute(app.store.read, app.clock)],
    ...oauthDoors(app, peerOf),
    ...(app.metrics && config.metrics.token !== undefined
      ? [[/^\/metrics$/, metricsRoute(app.metrics, { token: config.metrics.token, judgeToken })] as const]
      : []),
    [/^\/livez$/, health.livez],
    [/^\/readyz$/, health.readyz],
  ]
}

/** How the guessing of credentials is slowed down. */
function backOffOf({ guard, config }: App): BackOffOptions {
  return { guard, terms: config.limits, isExempt: exemptFromLimits(config) }
}

/** What every MCP route of an app shares. */
export function dispatchOptions(app: App): MessageDispatchOptions {
  return {
    dispatch: app.dispatch,
    readNames: app.readNames,
    listTasks: (credentials) => visibleTasks(app, credentials),
    checkCredentials: (credentials, method) => checkCredentials(app, credentials, method),
    contracts: app.contracts,
    serverInfo: serverInfo('adcp-sales-agent', 'AdCP sales agent', VERSION),
    instructions: instructions(app.config.sandbox, app.contracts.lines),
  }
}

/**
 * Tasks that a caller sees in `tools/list`: those that its scopes cover, so that an assistant pays for no tool that it may not use. Who
 * comes without credentials sees what there is, tasks that need credentials in short. Counts as a call that reads: such a list has 40 kB. Throws the refusal of credentials that
 * do not count.
 */
async function visibleTasks(app: App, credentials: TransportCredentials): Promise<VisibleTasks> {
  const caller = await identify(app.verifiers, credentials, app.clock())
  if (caller.kind === 'refused') throw caller.error
  const principal = caller.kind === 'known' ? caller.principal : undefined
  await app.limitCalls({ principal, isMutating: false, address: credentials.remoteAddress })
  const tenant =
    caller.kind === 'known' ? caller.tenant : await findTenantOfAddress(app.store.read, publisherIn(credentials.target))
  const tasks = await listedTasks(app.services, tenant, principal)
  const covered = principal ? tasks.filter((task) => isCovered(task, principal)) : tasks
  return { tasks: covered, authenticated: principal !== undefined }
}

/** Throws the refusal of credentials that do not count, and of a `method` that has to be signed, for messages that never become a call. */
async function checkCredentials(app: App, credentials: TransportCredentials, method?: string): Promise<void> {
  const caller = await identify(app.verifiers, credentials, app.clock())
  const methods = app.services.wiring.signing.protocolMethodsRequiredFor
  if (method !== undefined) await demandSignedMethod(method, credentials, async () => caller, methods)
  if (caller.kind === 'refused') throw caller.error
}

/** Host values that a page in somebody's browser cannot bend to this server (DNS rebinding; MCP transports, Security). */
function allowedHosts(config: Config): readonly string[] {
  const own = config.publicUrl === undefined ? [] : [new URL(config.publicUrl).host]
  return [...own, ...config.allowedHosts, config.host, 'localhost', '127.0.0.1', '[::1]']
}

/** Tokens live for 30 days at most: one that was revoked before that has expired. */
const TOKEN_DAYS = 31

async function revocationsOf({ services, store, clock }: App): Promise<string> {
  const now = clock()
  const jtis = await listRevokedTokens(store.read, new Date(now.getTime() - TOKEN_DAYS * 86_400_000))
  return services.governanceTokens.revocations({ jtis, kids: [] }, now)
}
