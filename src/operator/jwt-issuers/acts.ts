import type { Act } from '../act.ts'
import { listIssuers, mapSubject, removeIssuer, trustIssuer } from './trust-issuer.ts'

/** What can be done with authorization servers of buyers, in the order of the help. */
export const jwtIssuerActs: readonly Act[] = [trustIssuer, mapSubject, listIssuers, removeIssuer]
