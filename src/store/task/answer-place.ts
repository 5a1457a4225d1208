import { hash } from 'node:crypto'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { IdempotencyScope } from './idempotency.ts'

/** The place that the credentials of the answer to an idempotency key are sealed for; also the call's own anchor towards ad servers: never the raw key. */
export function anchorOf(scope: IdempotencyScope): string {
  return hash('sha256', JSON.stringify([scope.tenantId, scope.principalId, scope.accountId, scope.key]), 'base64url')
}

/** The place of the answer to a call that can be asked for by its id. */
export function callPlace({ tenantId, principalId }: PrincipalRef, id: string): string {
  return JSON.stringify([tenantId, principalId, id])
}
