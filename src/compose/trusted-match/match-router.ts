import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { MatchRouterSettings } from '../../config/match-router-settings.ts'
import {
  type ProviderRegistration,
  registrationFaults,
  signedEndpoint,
} from '../../domain/trusted-match/provider-registration.ts'
import { createContextRouter } from '../../features/trusted-match/context/context-router.ts'
import { createIdentityRouter } from '../../features/trusted-match/identity/identity-router.ts'
import type { PathParts } from '../../features/trusted-match/path-parts.ts'
import { originAllowed, publisherAuthentication } from '../../features/trusted-match/publishers.ts'
import { createMatchMetrics } from '../../platform/metrics/match-metrics.ts'
import type { Lookup } from '../../platform/net/lookup.ts'
import { createProviderClient, type ProviderClient } from '../../platform/net/provider-client.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { fieldOf, type Schemas } from '../../protocol/schemas.ts'
import { createMatchSigner, type MatchSigner } from '../../security/signing/trusted-match-signature.ts'
import { parseJson } from '../../transports/http/parse-json.ts'
import { contextRoute } from '../../transports/trusted-match/context/context-route.ts'
import { identityRoute } from '../../transports/trusted-match/identity/identity-route.ts'
import { reply, replyJson } from '../../transports/trusted-match/match-exchange.ts'
import { listenForMatches } from '../../transports/trusted-match/match-listener.ts'
import type { MatchRoute } from '../../transports/trusted-match/match-route.ts'
import { PAGE_SCRIPT } from '../../transports/trusted-match/page-script.ts'
import { metricsRoute } from './metrics-route.ts'

export interface RunningMatchRouter {
  readonly port: number
  readonly metricsPort: number | undefined
  close(): Promise<void>
}

export interface MatchRouterOptions {
  /** Of AdCP 3.2. */
  readonly schemas: Schemas
  readonly log: Logger
  readonly clock?: () => Date
  /** Resolves names of providers. */
  readonly lookup?: Lookup
}

/** Answers of providers: some thousand offers. */
const MAX_ANSWER_BYTES = 256 * 1024
const DRAIN_MS = 5_000

/**
 * Starts a router of Trusted Match. Its two paths have connections, caches, metrics and logs of their own. Throws CONFIGURATION_ERROR for registrations that
 * are refused and for a key that is none.
 */
export async function startMatchRouter(
  settings: MatchRouterSettings,
  { schemas, log, clock = () => new Date(), lookup }: MatchRouterOptions,
): Promise<RunningMatchRouter> {
  const registrations = registrationsOf(settings, schemas)
  const signer = signerOf(settings)
  const clients: ProviderClient[] = []
  const measured = settings.metricsPort !== undefined
  const metrics = {
    context: measured ? createMatchMetrics('context') : undefined,
    identity: measured ? createMatchMetrics('identity') : undefined,
  }
  const parts = (path: 'context' | 'identity'): PathParts => {
    const connect = (registration: ProviderRegistration) => {
      const client = clientOf(settings, registration, lookup)
      clients.push(client)
      return { registration, client }
    }
    const pathLog = log.child({ path })
    return {
      providers: registrations.filter((each) => each[`${path}_match`] === true).map(connect),
      signer,
      deadlineMs: settings.deadlineMs,
      cacheSeconds: settings[`${path}CacheSeconds`],
      parseJson,
      validate: schemas.validator(`trusted-match/provider-${path}-match-response.json`),
      clock,
      onProvider(providerId, outcome, elapsedMs) {
        metrics[path]?.provider(providerId, outcome, elapsedMs)
        // Which provider is asked about a user shows what tokens the user has.
        if (outcome !== 'answered' && path === 'context')
          pathLog.debug({ provider: providerId, outcome }, 'no answer of a provider')
      },
    }
  }
  const asked = {
    authenticate: publisherAuthentication(settings.publishers),
    originAllowed: originAllowed(settings.publishers),
  }
  const told = (path: 'context' | 'identity') => ({
    onAnswer: (elapsedMs: number) => metrics[path]?.answered(elapsedMs),
    onFailure: (error: unknown) => log.child({ path }).error({ err: error }, 'a request could not be answered'),
  })
  const routes = new Map<string, MatchRoute>([
    ['/context', contextRoute(schemas, { ...asked, ...told('context'), match: createContextRouter(parts('context')) })],
    ['/identity', identityRoute(schemas, { ...asked, ...told('identity'), match: createIdentityRouter(parts('identity')) })],
    ['/health', async (_request, response) => replyJson(response, { status: 'ok' })],
    ['/healthz', async (_request, response) => replyJson(response, { status: 'ok' })],
    ['/tmp.js', scriptRoute],
    ['/.well-known/agent-signing-key.json', keysRoute(signer, settings)],
  ])
  const onFailure = (error: unknown) => log.error({ err: error }, 'a request failed')
  const listener = await listenForMatches({ ...settings, drainMs: DRAIN_MS, onFailure }, routes)
  const scrapes =
    settings.metricsPort === undefined
      ? undefined
      : await listenForMatches(
          { host: '127.0.0.1', port: settings.metricsPort, drainMs: DRAIN_MS, onFailure },
          new Map([['/metrics', metricsRoute([metrics.context, metrics.identity])]]),
        )
  return {
    port: listener.port,
    metricsPort: scrapes?.port,
    async close() {
      await listener.close()
      await scrapes?.close()
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

function registrationsOf({ providers }: MatchRouterSettings, schemas: Schemas): readonly ProviderRegistration[] {
  const registrations: ProviderRegistration[] = []
  for (const provider of providers) {
    const [issue] = schemas.validator('trusted-match/provider-registration.json')(provider)
    if (isRegistration(provider, issue)) registrations.push(provider)
    else
      throw new AdcpError(
        'CONFIGURATION_ERROR',
        `providers: ${fieldOf(issue?.pointer ?? '') || 'a registration'} ${issue?.message}`,
        {
          field: 'providers',
        },
      )
  }
  const [fault] = registrationFaults(registrations)
  if (fault !== undefined) throw new AdcpError('CONFIGURATION_ERROR', `providers: ${fault}`, { field: 'providers' })
  return registrations
}

/** The schema describes {@link ProviderRegistration}. */
function isRegistration(_provider: unknown, issue: unknown): _provider is ProviderRegistration {
  return issue === undefined
}

function clientOf(
  { development, providerCa }: MatchRouterSettings,
  { endpoint, provider_id: id }: ProviderRegistration,
  lookup: Lookup | undefined,
): ProviderClient {
  try {
    return createProviderClient({
      endpoint: signedEndpoint(endpoint),
      maxBytes: MAX_ANSWER_BYTES,
      lookup,
      ...(development && { development: {} }),
      ...(providerCa !== undefined && { ca: readFileSync(providerCa, 'utf8') }),
    })
  } catch (cause) {
    throw new AdcpError(
      'CONFIGURATION_ERROR',
      `providers: the endpoint of ${id} is refused; it has to be a public https address`,
      {
        field: 'providers',
        cause,
      },
    )
  }
}

function signerOf({ signing }: MatchRouterSettings): MatchSigner {
  try {
    return createMatchSigner(signing.kid, readFileSync(signing.key, 'utf8'))
  } catch (cause) {
    throw new AdcpError('CONFIGURATION_ERROR', 'signing.key has to name a PEM file with a private Ed25519 key', {
      field: 'signing.key',
      cause,
    })
  }
}

/** Keys are published for verifiers to fetch, those of before with their revocation (specification, "Key revocation"). */
function keysRoute(signer: MatchSigner, { signing }: MatchRouterSettings): MatchRoute {
  const retired = signing.retired.map((key) => ({ kty: 'OKP', crv: 'Ed25519', ...key }))
  return async (_request, response) => replyJson(response, { keys: [signer.key, ...retired] })
}

/** What pages load; the same for all. */
const scriptRoute: MatchRoute = async (_request, response) => {
  reply(response, 200, 'text/javascript; charset=utf-8', PAGE_SCRIPT)
}
