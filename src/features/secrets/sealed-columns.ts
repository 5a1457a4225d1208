import type { SecretSource } from '../../security/secrets/deployment-secrets.ts'
import { LASTING, lastingKeyPlace } from '../../security/secrets/lasting-keys.ts'
import { createListTokenSeal } from '../../security/secrets/list-token-seal.ts'
import { matchKeyPlace, syncAddressPlace, syncKeyPlace } from '../../security/secrets/match-secret-places.ts'
import { unlessBroken } from '../../security/secrets/sealed-address.ts'
import { resealAnswer } from '../../security/secrets/sealed-answer.ts'
import { createSecretBox } from '../../security/secrets/secret-box.ts'
import { signingKeyPlace } from '../../security/signing/stored-keys.ts'
import { credentialsPlace } from '../../store/ad-serving/ad-server-credentials.ts'
import { governanceQueryPlace, governanceSealPlace } from '../../store/governance/governance-agents.ts'
import { answerPlace as adminAnswerPlace } from '../../store/identity/admin-requests.ts'
import { issuerPlace, keySourcePlace } from '../../store/identity/key-addresses.ts'
import { addressPlace } from '../../store/notification/notification-channels.ts'
import { totpPlace } from '../../store/people/person-factors.ts'
import { subscriberPlace } from '../../store/registry/feed-subscribers.ts'
import { sessionPlace } from '../../store/si/si-sessions.ts'
import { anchorOf, callPlace } from '../../store/task/answer-place.ts'
import { CALLS } from '../../store/task/answered-calls.ts'
import { sealPlace } from '../../store/webhook/webhook-endpoints.ts'

/** The columns of a row that say which one it is, and those that its place is made of. */
type Cells = Readonly<Record<string, string>>

/** A column whose texts are sealed, or hold sealed texts. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The primary key. */
  readonly key: readonly string[]
  /** Columns beside the key that the place is made of. */
  readonly more: readonly string[]
  /** `whole`: the text is sealed; `within`: it is JSON with sealed texts. */
  readonly form: 'whole' | 'within'
  /** What a text begins with that is sealed under the current secret; of the form `whole`. */
  readonly prefix: () => string
  /** The text sealed under the current secret; undefined when it cannot be opened. */
  readonly reseal: (text: string, cells: Cells) => string | undefined
}

/** A sealed token of a list within a document. */
const LIST_TOKEN = /sealed:v1(?:\.[\w-]*){4}/g

/** Tables whose documents refer to lists, with the rest of the key of their rows beside the publisher. */
const WITH_LIST_TOKENS = [
  ['packages', 'document', 'package_id'],
  ['approvals', 'document', 'task_id'],
  ['ad_server_orders', 'written', 'media_buy_id', 'ad_server'],
  ['ad_server_orders', 'attempted', 'media_buy_id', 'ad_server'],
  ['ad_server_drift', 'expected', 'drift_id'],
  ['ad_server_drift', 'observed', 'drift_id'],
  ['embedded_lines', 'document', 'line_id'],
  ['embedded_lists', 'reference', 'list_key'],
] as const

/** Everything of the store that is sealed under the deployment's secret. A new purpose of `createSecretBox` whose texts are stored is added here. */
export function sealedColumns(secrets: SecretSource): readonly SealedColumn[] {
  const whole = (
    purpose: string,
    [table, column, ...key]: readonly string[],
    placeOf: (cells: Cells) => string,
    more: readonly string[] = [],
  ) => {
    const box = createSecretBox(secrets, purpose)
    const reseal = (text: string, cells: Cells) => unlessBroken(() => box.reseal(text, placeOf(cells)))
    return { table: table ?? '', column: column ?? '', key, more, form: 'whole', prefix: box.prefix, reseal } as const
  }
  const listTokens = createListTokenSeal(secrets)
  const answers = createSecretBox(secrets, 'stored-answers')
  return [
    whole(LASTING, ['lasting_keys', 'sealed', 'purpose'], ({ purpose = '' }) => lastingKeyPlace(purpose)),
    whole('signing-keys', ['signing_keys', 'private_jwk', 'kid'], ({ kid = '' }) => signingKeyPlace(kid)),
    ...(['query', 'credentials', 'token'] as const).map((field) =>
      whole('webhook-credentials', ['webhook_endpoints', field, 'endpoint_id'], ({ endpoint_id: id = '' }) =>
        sealPlace(id, field),
      ),
    ),
    whole('webhook-credentials', ['feed_subscribers', 'query', 'subscriber_id'], ({ subscriber_id: id = '' }) =>
      subscriberPlace(id),
    ),
    whole('webhook-credentials', ['agent_key_sources', 'query', 'tenant_id', 'principal_id', 'kind'], (cells) =>
      keySourcePlace(cells.tenant_id ?? '', cells.principal_id ?? ''),
    ),
    whole('webhook-credentials', ['jwt_issuers', 'jwks_query', 'tenant_id', 'issuer'], (cells) =>
      issuerPlace(cells.tenant_id ?? '', cells.issuer ?? ''),
    ),
    whole('ad-server-credentials', ['ad_server_credentials', 'sealed', 'tenant_id', 'ad_server'], (cells) =>
      credentialsPlace(cells.tenant_id ?? '', cells.ad_server ?? ''),
    ),
    whole('trusted-match', ['match_keys', 'sealed', 'tenant_id', 'kid'], (cells) =>
      matchKeyPlace(cells.tenant_id ?? '', cells.kid ?? ''),
    ),
    whole('trusted-match', ['match_providers', 'sync_key', 'tenant_id', 'provider_id'], (cells) =>
      syncKeyPlace(cells.tenant_id ?? '', cells.provider_id ?? ''),
    ),
    whole('trusted-match', ['match_providers', 'sync_query', 'tenant_id', 'provider_id'], (cells) =>
      syncAddressPlace(cells.tenant_id ?? '', cells.provider_id ?? ''),
    ),
    whole('oauth', ['oauth_records', 'document', 'kind', 'record_hash'], ({ kind = '' }) => kind),
    whole(
      'governance-credentials',
      ['account_governance_agents', 'credentials', 'tenant_id', 'account_id', 'position'],
      (cells) => governanceSealPlace(cells.tenant_id ?? '', cells.account_id ?? '', cells.url ?? ''),
      ['url'],
    ),
    whole(
      'governance-credentials',
      ['account_governance_agents', 'query', 'tenant_id', 'account_id', 'position'],
      (cells) => governanceQueryPlace(cells.tenant_id ?? '', cells.account_id ?? '', cells.url ?? ''),
      ['url'],
    ),
    whole('notification-addresses', ['notification_channels', 'address', 'tenant_id', 'person_id', 'channel'], (cells) =>
      addressPlace({ tenantId: cells.tenant_id ?? '', personId: cells.person_id ?? '', channel: cells.channel ?? '' }),
    ),
    whole('second-factors', ['person_totps', 'secret', 'person_id'], ({ person_id: id = '' }) => totpPlace(id)),
    ...(['identity', 'transcript'] as const).map((field) =>
      whole('conversations', ['si_sessions', field, 'tenant_id', 'session_id'], ({ session_id: id = '' }) =>
        sessionPlace(id, field),
      ),
    ),
    whole('admin-answers', ['admin_requests', 'answer', 'key_id', 'idempotency_key'], (cells) =>
      adminAnswerPlace({ keyId: cells.key_id ?? '', idempotencyKey: cells.idempotency_key ?? '' }),
    ),
    {
      table: 'idempotency',
      column: 'response',
      key: ['tenant_id', 'principal_id', 'account_id', 'idempotency_key'],
      more: [],
      form: 'within',
      prefix: answers.prefix,
      reseal: (text, cells) => resealAnswer(answers, text, answerPlace(cells)),
    },
    ...WITH_LIST_TOKENS.map(
      ([table, column, ...key]): SealedColumn => ({
        table,
        column,
        key: ['tenant_id', ...key],
        more: [],
        form: 'within',
        prefix: () => '',
        reseal: (text, { tenant_id: tenantId = '' }) =>
          text.replace(LIST_TOKEN, (token) => listTokens.reseal(tenantId, token) ?? token),
      }),
    ),
  ]
}

function answerPlace(cells: Cells): string {
  const {
    tenant_id: tenantId = '',
    principal_id: principalId = '',
    account_id: accountId = '',
    idempotency_key: key = '',
  } = cells
  return accountId === CALLS ? callPlace({ tenantId, principalId }, key) : anchorOf({ tenantId, principalId, accountId, key })
}
