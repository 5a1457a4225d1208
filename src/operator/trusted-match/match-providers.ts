import { canonicalUrl } from '../../domain/canonical-url.ts'
import { type ProviderRegistration, registrationFaults } from '../../domain/trusted-match/provider-registration.ts'
import { FetchFailure } from '../../platform/net/fetch-policy.ts'
import { isForDevelopment, requirePublicEndpoint } from '../../platform/net/provider-client.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { fieldOf } from '../../protocol/field-of.ts'
import { matchSchemas } from '../../protocol/match-schemas.ts'
import { syncAddressPlace, syncKeyPlace } from '../../security/secrets/match-secret-places.ts'
import { sealSubscriber } from '../../security/secrets/sealed-address.ts'
import type { Db } from '../../store/database.ts'
import {
  listMatchProviders,
  removeMatchProvider,
  type StoredMatchProvider,
  saveMatchProvider,
} from '../../store/trusted-match/match-providers.ts'
import type { ActContext, Watching } from '../act.ts'
import { concealed } from '../changed-members.ts'
import type { OperatorContext } from '../operator-context.ts'
import { statusOf } from './match-provider-health.ts'

/** A provider in lists; the key of its sync is never shown. */
export interface ShownMatchProvider {
  readonly registration: ProviderRegistration
  /** Its endpoint is of this machine: routers without `development: true` in their file leave it out. */
  readonly development_only: boolean
  /** Without its query and secrets of its path. */
  readonly sync_url: string | null
  readonly synced_at: string | null
  /** Why the last sync failed; null: it did not. */
  readonly fault: string | null
}

/** Most providers of a publisher: each is asked on every request. */
const MOST = 100

export async function showMatchProviders({ store }: OperatorContext, tenantId: string): Promise<readonly ShownMatchProvider[]> {
  return (await listMatchProviders(store.read, tenantId)).map(shownIn)
}

/** A registration as people give it: members of trusted-match/provider-registration.json; `undefined` members of a change stay as they were. */
export type RegistrationInput = { readonly [Name in keyof ProviderRegistration]?: ProviderRegistration[Name] | undefined }

export interface ProviderInput {
  readonly providerId: string
  readonly registration: RegistrationInput
  readonly syncUrl?: string | undefined
  readonly syncKey?: string | undefined
}

/**
 * Registers a provider with a publisher's router, which asks it within its refresh (30 seconds). Throws INVALID_REQUEST naming what is wrong: a registration
 * that breaks its schema, an id or an endpoint that is taken, an endpoint or a sync address that is not public https.
 */
export async function registerProvider(context: ActContext, input: ProviderInput): Promise<ShownMatchProvider> {
  const known = await listMatchProviders(context.store.read, context.tenantId)
  if (known.some(({ registration }) => registration.provider_id === input.providerId))
    throw invalid('provider', `a provider "${input.providerId}" is registered; trusted-match providers set changes it`)
  if (known.length >= MOST) throw invalid('provider', `a publisher has at most ${MOST} providers; remove one first`)
  return write(context, { input, known, before: undefined })
}

/** Changes a registration, or sets its status: active, draining or inactive. Throws as {@link registerProvider}, and REFERENCE_NOT_FOUND. */
export async function changeProvider(context: ActContext, input: ProviderInput): Promise<ShownMatchProvider> {
  const known = await listMatchProviders(context.store.read, context.tenantId)
  const before = found(known, input.providerId)
  return write(context, { input, known, before })
}

/** What a change of a registration changes, for the audit log; the key of its sync, and what its address holds of secrets, are not shown. */
export async function watchedProvider(
  tx: Db,
  { tenantId }: Watching,
  { provider }: { readonly provider: string },
): Promise<object | undefined> {
  const stored = (await listMatchProviders(tx, tenantId)).find(({ registration }) => registration.provider_id === provider)
  if (!stored) return undefined
  const { registration, syncTo, syncKey } = stored
  return { ...registration, sync_url: syncTo?.url, sync_url_query: concealed(syncTo?.query), sync_key: concealed(syncKey) }
}

/** Puts a new key in the place of the one that packages are synced with. Throws REFERENCE_NOT_FOUND. */
export async function replaceSyncKey(
  context: ActContext,
  { providerId, syncKey }: { readonly providerId: string; readonly syncKey: string },
): Promise<ShownMatchProvider> {
  const known = await listMatchProviders(context.store.read, context.tenantId)
  const before = found(known, providerId)
  const input = { providerId, registration: {}, syncKey }
  return write(context, { input, known, before })
}

/** Removes the registration of a provider. Throws REFERENCE_NOT_FOUND. */
export async function removeProvider(context: ActContext, providerId: string): Promise<void> {
  found(await listMatchProviders(context.store.read, context.tenantId), providerId)
  await context.store.transaction((tx) => removeMatchProvider(tx, context.tenantId, providerId))
}

/** Asks a provider whether it is ready: `GET /health`. Throws REFERENCE_NOT_FOUND. */
export async function healthOfProvider(
  context: OperatorContext,
  tenantId: string,
  providerId: string,
): Promise<{ readonly provider_id: string; readonly ready: boolean; readonly reason?: string }> {
  const { registration } = found(await listMatchProviders(context.store.read, tenantId), providerId)
  try {
    const status = await statusOf(context, registration)
    return { provider_id: providerId, ready: status === 200, ...(status !== 200 && { reason: `status ${status}` }) }
  } catch (error) {
    return { provider_id: providerId, ready: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

interface Write {
  readonly input: ProviderInput
  readonly known: readonly StoredMatchProvider[]
  readonly before: StoredMatchProvider | undefined
}

async function write(context: ActContext, { input, known, before }: Write): Promise<ShownMatchProvider> {
  const { tenantId } = context
  const { providerId, syncUrl, syncKey } = input
  const changes = Object.fromEntries(Object.entries(input.registration).filter(([, value]) => value !== undefined))
  const registration = judged({ ...before?.registration, ...changes, provider_id: providerId })
  const others = known.filter((each) => each !== before).map((each) => each.registration)
  const [fault] = registrationFaults([...others, registration])
  if (fault !== undefined) throw invalid('endpoint', fault)
  const isDevelopment = context.config.mode === 'development'
  requirePublic('endpoint', registration.endpoint, isDevelopment)
  if (syncUrl !== undefined) requirePublic('sync_url', syncUrl, isDevelopment)
  const box = await context.services.matchBox()
  const sealed = syncKey === undefined ? before?.syncKey : box.seal(syncKey, syncKeyPlace(tenantId, providerId))
  const syncTo = syncUrl === undefined ? before?.syncTo : sealSubscriber(box, syncUrl, syncAddressPlace(tenantId, providerId))
  const stored = { tenantId, registration, syncTo, syncKey: sealed }
  await context.store.transaction((tx) => saveMatchProvider(tx, stored, context.clock()))
  return shownIn({ registration, syncTo, syncedAt: before?.syncedAt, fault: before?.fault })
}

function judged(value: object): ProviderRegistration {
  const [issue] = matchSchemas().validator('trusted-match/provider-registration.json')(value)
  if (isRegistration(value, issue)) return value
  const field = fieldOf(issue?.pointer ?? '')
  throw invalid(field || 'registration', `${field || 'the registration'} ${issue?.message}`)
}

/** The schema describes {@link ProviderRegistration}. */
function isRegistration(_value: unknown, issue: unknown): _value is ProviderRegistration {
  return issue === undefined
}

function requirePublic(field: string, url: string, isDevelopment: boolean): void {
  try {
    canonicalUrl(url)
    requirePublicEndpoint(url, isDevelopment)
  } catch (error) {
    const reason = error instanceof FetchFailure ? error.message : 'it is no absolute URL'
    throw invalid(
      field,
      `${field} is refused (${reason}); send a public https address${isDevelopment ? '' : ', or in mode development one of this machine'}`,
    )
  }
}

function found(known: readonly StoredMatchProvider[], providerId: string): StoredMatchProvider {
  const provider = known.find(({ registration }) => registration.provider_id === providerId)
  if (provider) return provider
  const message = `there is no provider "${providerId}"; trusted-match providers list shows all`
  throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'provider' })
}

function shownIn({
  registration,
  syncTo,
  syncedAt,
  fault,
}: Pick<StoredMatchProvider, 'registration' | 'syncTo' | 'syncedAt' | 'fault'>): ShownMatchProvider {
  return {
    registration,
    development_only: isForDevelopment(registration.endpoint),
    sync_url: syncTo?.url ?? null,
    synced_at: syncedAt ?? null,
    fault: fault ?? null,
  }
}

function invalid(field: string, message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field })
}
