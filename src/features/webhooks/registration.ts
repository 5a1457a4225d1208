import { randomUUID } from 'node:crypto'
import type { NotificationConfig } from '../../domain/account/notification-configs.ts'
import type { AuthScheme } from '../../domain/auth-scheme.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import type { ReportingFrequency } from '../../domain/product/reporting-capabilities.ts'
import type { BodyForm } from '../../domain/webhook/body.ts'
import { FetchFailure } from '../../platform/net/fetch-policy.ts'
import type { Lookup } from '../../platform/net/lookup.ts'
import { checkPostAddress } from '../../platform/net/safe-post.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { sealAddress } from '../../security/secrets/sealed-address.ts'
import type { SecretBox } from '../../security/secrets/secret-box.ts'
import type { EndpointKind } from '../../store/webhook/rows.ts'
import { sealPlace, type WebhookEndpoint } from '../../store/webhook/webhook-endpoints.ts'
import type { ListWish } from './webhook-types.ts'

/** A webhook configuration as requests carry it (core/push-notification-config, core/reporting-webhook), validated by its schema. */
export interface WireWebhook {
  readonly url: string
  readonly operation_id?: unknown
  readonly token?: string
  readonly authentication?: { readonly schemes: readonly AuthScheme[]; readonly credentials: string }
  readonly reporting_frequency?: ReportingFrequency
  readonly requested_metrics?: readonly string[]
}

/** A webhook that a request asks for, and the field it came in. */
export interface Wanted {
  readonly kind: EndpointKind
  readonly field: 'push_notification_config' | 'reporting_webhook' | 'revocation_webhook'
  readonly webhook: WireWebhook
}

const FIELDS = [
  ['push', 'push_notification_config'],
  ['reporting', 'reporting_webhook'],
] as const

/** AdCP webhooks page: what an operation id may look like; it is echoed, never interpreted. */
const OPERATION_ID = /^[A-Za-z0-9_.:-]{1,255}$/
const LONGEST_TOKEN = 4096
/** RFC 6750 §2.1: what can follow `Bearer ` in a header. */
const BEARER = /^[A-Za-z0-9\-._~+/]+=*$/

/** The webhooks that a validated request asks for. */
export function wantedWebhooks(request: object): readonly Wanted[] {
  return FIELDS.flatMap(([kind, field]) => {
    const webhook: unknown = Reflect.get(request, field)
    return isWebhook(webhook) ? [{ kind, field, webhook }] : []
  })
}

function isWebhook(value: unknown): value is WireWebhook {
  return typeof value === 'object' && value !== null && 'url' in value && typeof value.url === 'string'
}

/** Checks what the schema cannot: addresses and secrets. Throws INVALID_REQUEST naming the field; says nothing about our network. */
export async function checkWebhook({ field, webhook }: Wanted, loopback: boolean, lookup?: Lookup): Promise<void> {
  const { url, operation_id: operationId, token, authentication } = webhook
  if (operationId !== undefined && (typeof operationId !== 'string' || !OPERATION_ID.test(operationId))) {
    throw refusal(`${field}.operation_id`, 'must be 1 to 255 letters, digits or any of _.:-')
  }
  if (token !== undefined && token.length > LONGEST_TOKEN) {
    throw refusal(`${field}.token`, `must be at most ${LONGEST_TOKEN} characters long`)
  }
  if (authentication?.schemes[0] === 'Bearer' && !BEARER.test(authentication.credentials)) {
    throw refusal(`${field}.authentication.credentials`, 'cannot be sent as a Bearer token')
  }
  await checkAddress(url, `${field}.url`, loopback, lookup)
}

/** Checks that an address may be called. Throws INVALID_REQUEST naming `field`; says nothing about our network. */
export async function checkAddress(url: string, field: string, loopback: boolean, lookup?: Lookup): Promise<void> {
  try {
    await checkPostAddress(url, loopback, lookup)
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    throw refusal(field, 'must be a public https address without user information or fragment')
  }
}

/** The registration of an agent that follows a list. It is signed for: the protocol has no place for a secret there. */
export function listEndpoint({ principal, kind, listId, url }: ListWish, loopback: boolean, box: SecretBox): WebhookEndpoint {
  const endpointId = `whe_${randomUUID()}`
  return {
    tenantId: principal.tenantId,
    principalId: principal.principalId,
    endpointId,
    kind: 'list',
    taskId: listId,
    taskType: kind,
    mediaBuyId: undefined,
    ...sealAddress(box, url, sealPlace(endpointId, 'query')),
    loopback,
    scheme: undefined,
    credentials: undefined,
    token: undefined,
    settings: {},
  }
}

function refusal(field: string, must: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${field} ${must}`, { field })
}

export interface RegistrationOptions {
  readonly principal: Principal
  readonly taskId: string
  readonly taskType: string
  /** The protocol area of the task. */
  readonly protocol: string | undefined
  /** The release line of the call; undefined for the lowest. */
  readonly release?: string | undefined
  /** The request's own `context`, echoed. */
  readonly context: unknown
  readonly loopback: boolean
  readonly box: SecretBox
  /** Set when it was registered natively over A2A. */
  readonly native?: Pick<BodyForm, 'format' | 'a2aTask'> | undefined
}

/** The registration as it is stored: secrets sealed. */
export function registrationOf({ kind, webhook }: Wanted, options: RegistrationOptions): WebhookEndpoint {
  const { principal, taskId, taskType, protocol, release, context, loopback, box, native } = options
  const endpointId = `whe_${randomUUID()}`
  const { url, operation_id: operationId, token, authentication } = webhook
  return {
    tenantId: principal.tenantId,
    principalId: principal.principalId,
    endpointId,
    kind,
    taskId,
    taskType,
    mediaBuyId: undefined,
    ...sealAddress(box, url, sealPlace(endpointId, 'query')),
    loopback,
    scheme: authentication?.schemes[0],
    credentials: authentication && box.seal(authentication.credentials, sealPlace(endpointId, 'credentials')),
    token: token === undefined ? undefined : box.seal(token, sealPlace(endpointId, 'token')),
    settings: {
      ...(typeof operationId === 'string' && { operationId }),
      ...(protocol !== undefined && { protocol }),
      ...(release !== undefined && { release }),
      ...(context !== undefined && { context }),
      ...(kind === 'push' && native),
      ...(webhook.reporting_frequency && { frequency: webhook.reporting_frequency }),
      ...(webhook.requested_metrics && { metrics: webhook.requested_metrics }),
    },
  }
}

/** What a subscriber of this agent goes by. */
export const THIS_AGENT = 'agent'

/** A subscriber as it is stored: of an account's events it goes by the account. */
export function subscriberEndpoint(
  { subscriber_id: id, url, event_types: eventTypes, authentication }: NotificationConfig,
  options: Pick<RegistrationOptions, 'principal' | 'release' | 'loopback' | 'box'> & { readonly accountId: string | undefined },
): WebhookEndpoint {
  const { principal, accountId, release, loopback, box } = options
  const endpointId = `whe_${randomUUID()}`
  return {
    tenantId: principal.tenantId,
    principalId: principal.principalId,
    endpointId,
    ...(accountId === undefined
      ? { kind: 'agent', taskId: THIS_AGENT, taskType: 'sync_principal' }
      : { kind: 'account', taskId: accountId, taskType: 'sync_accounts' }),
    mediaBuyId: undefined,
    ...sealAddress(box, url, sealPlace(endpointId, 'query')),
    loopback,
    scheme: authentication?.schemes[0],
    credentials: authentication && box.seal(authentication.credentials, sealPlace(endpointId, 'credentials')),
    token: undefined,
    settings: { ...(release !== undefined && { release }), subscriber: { id, eventTypes } },
  }
}
