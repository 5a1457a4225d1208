import type { ColumnType } from 'kysely'
import type { AdminRole } from '../../domain/identity/admin-role.ts'
import type { AgentKeySource } from '../../domain/identity/agent-key-source.ts'
import type { ForeignScopes } from '../../domain/identity/jwt-issuer-settings.ts'
import type { BuyerStatus, TextForm } from '../../domain/identity/principal.ts'
import type { SigningKeyState } from '../../domain/identity/signing-key-state.ts'

export interface AdminKeyTables {
  admin_keys: {
    /** SHA-256 of the token, hex. */
    key_hash: string
    key_id: string
    tenant_id: string
    /** What the key is for, as its owner calls it. */
    name: string
    role: AdminRole
    /** 1: may act on the whole deployment too. */
    deployment: number
    created_at: string
    expires_at: string | null
    revoked_at: string | null
  }
}

export interface AdminRequestTables {
  /** Requests that are carried out once, by their idempotency keys. */
  admin_requests: {
    /** The key of the admin API that sent it, or `person:` and the id of a person at the console. */
    key_id: string
    idempotency_key: string
    request_hash: string
    /** `changed`: its first change is committed; `answered`: its answer is stored. */
    state: 'running' | 'changed' | 'answered'
    lease: string
    lease_until: string
    /** JSON, sealed in its {@link answerPlace}. */
    answer: string | null
    created_at: string
  }
}

export type AgentKeyKind = AgentKeySource['kind']

export interface AgentKeyTables {
  /** Where the public keys of a principal's agent come from. */
  agent_key_sources: {
    tenant_id: string
    principal_id: string
    kind: AgentKeyKind
    /** JWKS document, address of one without its query, or domain of the brand; empty: the agent's own capabilities name its brand.json. */
    value: string
    /** What follows the `?` of the address, sealed. */
    query: ColumnType<string | null, string | null | undefined>
    created_at: string
  }
  revoked_agent_keys: { keyid: string; revoked_at: string }
}

export interface AuthFailureTables {
  /** Refused credentials by the hash of their bucket: no address, key or user name is stored. Times in Unix milliseconds. */
  auth_failures: { bucket: string; failures: number; last_at: number; wait_until: number }
  /** Hashes of pairs of address and credential that have succeeded. */
  auth_trust: { pair: string; since: number }
}

export interface BasicUserTables {
  /** User names are unique over the deployment: the name decides the tenant. */
  basic_users: {
    username: string
    tenant_id: string
    principal_id: string
    password_hash: string
    created_at: string
    revoked_at: string | null
  }
}

export interface ClientCertificateTables {
  /** Names of client certificates, each pinned to one principal of a tenant. */
  client_certificates: {
    /** `dns:…`, `uri:…`, `email:…`, `ip:…` or `subject:…`. */
    name: string
    tenant_id: string
    principal_id: string
    created_at: string
  }
}

export interface JwtIssuerTables {
  /** Token issuers that a tenant trusts. An issuer and audience belong to one tenant: the pair decides the tenant. */
  jwt_issuers: {
    tenant_id: string
    issuer: string
    audience: string
    /** Without its query. */
    jwks_uri: string
    /** What follows the `?`, sealed. */
    jwks_query: ColumnType<string | null, string | null | undefined>
    /** JSON array of JOSE algorithm names. */
    algorithms: string
    max_age_seconds: number
    foreign_scopes: ForeignScopes
    created_at: string
  }
}

export interface JwtSubjectTables {
  /** Which principal a subject of a trusted token issuer represents. */
  jwt_subjects: { tenant_id: string; issuer: string; subject: string; principal_id: string; created_at: string }
}

export interface NonceTables {
  /** Nonces of verified signatures. Not a tenant's: a signature names its full URL, and a nonce counts once anywhere. */
  signature_nonces: {
    keyid: string
    nonce: string
    /** Last Unix second at which the signature could still be accepted. */
    expires_at: number
  }
  /** How many rows each key has, so that the cap is one row's read; its row is also the lock of the key. */
  signature_nonce_counts: { keyid: string; entries: number }
}

export interface OauthTables {
  oauth_records: {
    kind: string
    record_hash: string
    document: string
    uid_hash: string | null
    grant_hash: string | null
    consumed_at: string | null
    created_at: string
    used_at: string
    expires_at: string | null
    /** Of a grant: the agent that the person chose to act as. */
    principal_id: string | null
  }
}

export interface PrincipalConfigurationTables {
  /** What an agent asked this seller to keep about itself (AdCP 3.2 sync_principal). */
  principal_configurations: {
    tenant_id: string
    principal_id: string
    /** Opaque; another one with every change by the agent. */
    version: string
    /** Subscribers as answers show them, as a JSON array. */
    notification_configs: string
    /** Version of the capabilities document that its subscribers know; null: nobody follows it. */
    known_capabilities: string | null
    updated_at: string
  }
}

export interface PrincipalTables {
  tenants: {
    tenant_id: string
    name: string
    domain: string
    is_public_default: number
    products_revision: number
    settings: string
    created_at: string
  }
  principals: {
    tenant_id: string
    principal_id: string
    name: string
    agent_url: string | null
    sandbox: number
    status: BuyerStatus
    scopes: string
    signing_required: number
    text_form: ColumnType<TextForm, TextForm | undefined>
    /** Billing parties that it may name, as a JSON array; null: all that its publisher accepts. */
    billing: ColumnType<string | null, string | null | undefined>
    /** What was agreed about its creatives (domain `CreativeRules`), as JSON; null: what the publisher set for all. */
    creative_rules: ColumnType<string | null, string | null | undefined>
    created_at: string
  }
  api_keys: {
    key_hash: string
    key_id: string
    tenant_id: string
    principal_id: string
    prefix: string
    last_four: string
    scopes: string
    created_at: string
    expires_at: string | null
    revoked_at: string | null
    last_used_at: string | null
    /** The key that took its place, when it was rotated. */
    successor: string | null
  }
}

export interface SigningKeyTables {
  /** The deployment's own keys; the private part is sealed. */
  signing_keys: {
    kid: string
    /** The JWK's `adcp_use`. */
    purpose: string
    /** Whose answers a key for `response-signing` signs, see `answersOf`; empty for keys of the whole deployment. */
    subject: string
    state: SigningKeyState
    public_jwk: string
    private_jwk: string
    created_at: string
    retired_at: string | null
  }
}

export interface UserPrincipalTables {
  /** Agents beside a user's own, of the same tenant, that the person may let a client act as. */
  user_principals: {
    username: string
    principal_id: string
    created_at: string
  }
}
