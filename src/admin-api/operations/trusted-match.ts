import { count, flag, oneOf, required, text, texts, type Values } from '../../operator/fields.ts'
import { ADMINISTRATORS, READERS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { revokeMatchKeyOf, rotateMatchKey, showMatchKeys } from '../../operator/trusted-match/match-keys.ts'
import { showMatchHealth } from '../../operator/trusted-match/match-provider-health.ts'
import {
  addMatchProvider,
  checkMatchProvider,
  endMatchProvider,
  rotateSyncKey,
  setMatchProvider,
  showMatchProviders,
} from '../../operator/trusted-match/match-providers.ts'
import { type AdminOperation, operation } from '../operation.ts'

const REGISTRATION = {
  endpoint: text('base URL; the router appends /context and /identity'),
  context_match: flag('answers context requests'),
  identity_match: flag('answers identity requests'),
  countries: texts('ISO 3166-1 alpha-2'),
  uid_types: texts('types of universal ids that it takes'),
  properties: texts('property ids that it is asked for'),
  timeout_ms: count('how long it is waited for'),
  priority: count('lower is first'),
  tmpx_slots: texts('slots of its TMPX'),
  status: oneOf(['active', 'inactive', 'draining'], 'only active ones are asked'),
  sync_url: text('where packages are synced to'),
  sync_key: text('the key that they are synced with; never shown again'),
}

export const matchOperations: readonly AdminOperation[] = [
  operation('GET /trusted-match/providers', 'listMatchProviders', {
    roles: READERS,
    summary: 'Providers that the router of the publisher asks.',
    fields: {},
    run: async (context, { tenantId }) => list(await showMatchProviders(context, tenantId)),
  }),
  operation('GET /trusted-match/health', 'listMatchHealth', {
    roles: READERS,
    summary: 'Asks the active providers whether they are ready; takes five seconds at most.',
    fields: {},
    run: async (context, { tenantId }) => list(await showMatchHealth(context, tenantId)),
  }),
  operation('POST /trusted-match/providers', 'addMatchProvider', {
    roles: ADMINISTRATORS,
    summary: 'Registers a provider with the router of the publisher.',
    fields: { provider: required(text('its id')), ...REGISTRATION },
    run: (context, { tenantId, values: { provider, ...rest } }) => addMatchProvider(context, tenantId, inputOf(provider, rest)),
  }),
  operation('PATCH /trusted-match/providers/{provider}', 'setMatchProvider', {
    roles: ADMINISTRATORS,
    summary: 'Changes a registration, or its status.',
    fields: REGISTRATION,
    run: (context, { tenantId, params, values }) => setMatchProvider(context, tenantId, inputOf(params.provider, values)),
  }),
  operation('DELETE /trusted-match/providers/{provider}', 'endMatchProvider', {
    roles: ADMINISTRATORS,
    summary: 'Ends a registration.',
    fields: {},
    async run(context, { tenantId, params }) {
      await endMatchProvider(context, tenantId, params.provider)
      return { provider_id: params.provider, removed: true }
    },
  }),
  operation('POST /trusted-match/providers/{provider}/check', 'checkMatchProvider', {
    roles: ADMINISTRATORS,
    summary: 'Asks a provider whether it is ready.',
    fields: {},
    run: (context, { tenantId, params }) => checkMatchProvider(context, tenantId, params.provider),
  }),
  operation('PUT /trusted-match/providers/{provider}/sync-key', 'rotateSyncKey', {
    roles: ADMINISTRATORS,
    summary: 'Replaces the key that packages are synced with; it is never shown again.',
    fields: { sync_key: required(text('the new key')) },
    run: (context, { tenantId, params, values: { sync_key: syncKey } }) =>
      rotateSyncKey(context, tenantId, { providerId: params.provider, syncKey }),
  }),
  operation('GET /trusted-match/keys', 'listMatchKeys', {
    roles: READERS,
    summary: 'Keys that the router of the publisher signs with, the signing one first.',
    fields: {},
    run: async (context, { tenantId }) => list(await showMatchKeys(context, tenantId)),
  }),
  operation('POST /trusted-match/keys/rotate', 'rotateMatchKey', {
    roles: ADMINISTRATORS,
    summary: 'Makes the key that signs from now on.',
    fields: {},
    run: (context, { tenantId }) => rotateMatchKey(context, tenantId),
  }),
  operation('POST /trusted-match/keys/{kid}/revoke', 'revokeMatchKey', {
    roles: ADMINISTRATORS,
    summary: 'Revokes a key that leaked.',
    fields: { from: text('ISO date or a span; default: now') },
    async run(context, { tenantId, params, values: { from } }) {
      await revokeMatchKeyOf(context, tenantId, { kid: params.kid, from })
      return { kid: params.kid, revoked: true }
    },
  }),
]

function inputOf(providerId: string, { sync_url: syncUrl, sync_key: syncKey, ...registration }: Values<typeof REGISTRATION>) {
  return { providerId, registration, syncUrl, syncKey }
}
