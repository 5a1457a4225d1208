import { createDecisionLinks, type DecisionLinks } from '../operator/notifications/decision-links.ts'
import type { SecretSource } from '../security/secrets/deployment-secrets.ts'
import { derivedSecrets } from '../security/secrets/derived-secret.ts'

/** Seals links of messages to pages where decisions are made. `secret`: the deployment's; links under every one in use are read. */
export function decisionLinks(secret: SecretSource): DecisionLinks {
  return createDecisionLinks(derivedSecrets(secret, 'console-links', 'decision'))
}
