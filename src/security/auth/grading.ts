import { readFileSync } from 'node:fs'
import type { Identity } from '../../domain/identity/identity.ts'
import type { Tenant } from '../../domain/identity/principal.ts'
import type { Mode } from '../../platform/net/mode.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type PublishedJwk, readJwks } from '../signing/jwk.ts'
import type { KeySource } from '../signing/keys.ts'
import { registeredKeys } from '../signing/keys.ts'

/** The counterparty of the official request-signing grader (AdCP test kit `signed-requests-runner`). */
export interface GradingParty {
  readonly agentUrl: string
  readonly keys: KeySource
  /** Whether a key is the grader's; it gets a small cap of live nonces, which the grader fills on purpose. */
  owns(keyid: string): boolean
  isRevoked(keyid: string): boolean
  identity(tenant: Tenant): Identity
}

/** AdCP test kit `signed-requests-runner`: `grading_target_per_keyid_cap_requests`, and the key that it wants revoked. */
export const GRADING_NONCE_CAP = 100
const REVOKED_KEYID = 'test-revoked-2026'

const AGENT_URL = 'https://signed-requests-runner.invalid/mcp'

/**
 * Opens the server to the grader, whose private keys are published for everybody to use. Never part of the store, so that no
 * production server can inherit it. Throws CONFIGURATION_ERROR outside a development sandbox.
 */
export function gradingParty(config: { readonly mode: Mode; readonly sandbox: boolean }, keyFile: string): GradingParty {
  if (config.mode === 'production' || !config.sandbox) {
    throw new AdcpError(
      'CONFIGURATION_ERROR',
      'signing.grading accepts keys that everybody has; it needs mode development and sandbox true',
      { field: 'signing.grading' },
    )
  }
  const jwks: readonly PublishedJwk[] = readJwks(JSON.parse(readFileSync(keyFile, 'utf8'))) ?? []
  const kids = new Set(jwks.map(({ kid }) => kid))
  return {
    agentUrl: AGENT_URL,
    keys: registeredKeys(AGENT_URL, jwks),
    owns: (keyid) => kids.has(keyid),
    isRevoked: (keyid) => keyid === REVOKED_KEYID,
    identity: (tenant) => ({
      tenant,
      principal: {
        tenantId: tenant.tenantId,
        principalId: 'signed-requests-runner',
        name: 'AdCP request-signing grader',
        agentUrl: AGENT_URL,
        sandbox: true,
        scopes: ['adcp:*'],
        signingRequired: false,
        mechanism: 'signature',
        credentialId: '',
      },
    }),
  }
}
