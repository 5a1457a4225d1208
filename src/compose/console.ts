import { randomUUID } from 'node:crypto'
import { type Config, publicOrigin } from '../config/config.ts'
import { CONSOLE, SIGN_IN_CALLBACK } from '../console/route.ts'
import { consoleRoutes } from '../console/routes.ts'
import type { Actor, OperatorContext } from '../operator/operator-context.ts'
import type { SignedIn } from '../operator/people/sessions.ts'
import type { SignInProvider } from '../operator/people/sign-in-elsewhere.ts'
import type { PeerOf } from '../platform/net/peer.ts'
import { AdcpError } from '../protocol/errors.ts'
import { findIdentity } from '../store/identity/identities.ts'
import { onDemand } from '../transports/http/on-demand.ts'
import type { Routes } from '../transports/http/server.ts'
import { structuredContent } from '../transports/mcp/envelope.ts'
import type { App } from './app.ts'
import { operatorServices } from './operator.ts'

/** The console of a running app: its people act through the same operator functions as the command line. */
export function consoleOf(app: App, peerOf: PeerOf): Routes {
  const { store, config, schemas, clock, log } = app
  const services = {
    ...operatorServices(store, config, app.contracts, clock),
    adServers: async () => app.services.adServers,
    safeFetch: async () => app.safeFetch,
    approvals: async (audited: OperatorContext['store']) => ({ ...app.services, store: audited }),
  }
  return consoleRoutes({
    operator: (signedIn) => ({ store, config, schemas, clock, actor: actorOf(signedIn), services }),
    peerOf,
    idleMs: config.console.idleMinutes * 60_000,
    guard: app.guard,
    streams: app.streams.console,
    refusedStream: (limit) => app.metrics?.refused('console_stream', limit),
    refusedSignIn: (outcome, username) =>
      app.audit.ended({
        ...(username !== undefined && { principal: `person:${username}`, credential: `console:${username}` }),
        requestId: randomUUID(),
        transport: 'console',
        task: 'people.sign-in',
        at: clock(),
        outcome,
      }),
    signInProvider: signInProvider(config),
    dataVersion: () => store.dataVersion(),
    askAs: askAs(app),
    watchedCalls: app.watchedCalls,
    log,
  })
}

/** The OpenID provider of the deployment, for the people of its publishers. Throws CONFIGURATION_ERROR for an issuer without https. */
function signInProvider(config: Config): SignInProvider | undefined {
  const settings = config.oauth.identityProvider
  if (!settings) return undefined
  return {
    name: new URL(settings.issuer).host,
    redirectUri: `${publicOrigin(config)}${CONSOLE}${SIGN_IN_CALLBACK}`,
    provider: onDemand(async () => {
      const { identityProvider, isSecure } = await import('../security/auth/identity-provider.ts')
      if (isSecure(settings.issuer)) return identityProvider(settings)
      const message = 'the issuer of an identity provider is an https address'
      throw new AdcpError('CONFIGURATION_ERROR', message, { field: 'oauth.identityProvider.issuer' })
    }),
  }
}

/** Calls a task through the pipeline, as a buyer with a key or a caller without one. */
function askAs({ store, dispatch }: App): Parameters<typeof consoleRoutes>[0]['askAs'] {
  return async (tenantId, principalId, { task, arguments: args }) => {
    const identity = principalId === undefined ? undefined : await findIdentity(store.read, tenantId, principalId)
    const outcome = await dispatch({
      requestId: randomUUID(),
      transport: 'http',
      tool: task,
      arguments: args,
      credentials: {
        authorization: undefined,
        rawHeaders: [],
        method: 'POST',
        target: '/mcp',
        body: undefined,
        remoteAddress: undefined,
      },
      caller: async () => (identity ? { kind: 'known', ...identity } : { kind: 'anonymous' }),
      publicTenant: tenantId,
    })
    return { isError: !outcome.ok, answer: { ...structuredContent(outcome) } }
  }
}

/** As the audit log names them. */
function actorOf(signedIn: SignedIn | undefined): Actor {
  if (!signedIn) return { who: 'person:unknown', credential: 'none', transport: 'console' }
  const { person } = signedIn
  return { who: `person:${person.username}`, credential: `console:${person.username}`, transport: 'console' }
}
