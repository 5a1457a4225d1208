import { accountActs } from './accounts/acts.ts'
import type { Act } from './act.ts'
import { adServerActs } from './ad-servers/acts.ts'
import { adagentsActs } from './adagents/acts.ts'
import { adminKeyActs } from './admin-keys/acts.ts'
import { adoptedOrderActs } from './adopted-orders/acts.ts'
import { approvalActs } from './approvals/acts.ts'
import { auditActs } from './audit/acts.ts'
import { billingActs } from './billing/acts.ts'
import { brandActs } from './brands/acts.ts'
import { buyerActs } from './buyers/acts.ts'
import { certificateActs } from './certificates/acts.ts'
import { changeActs } from './changes/acts.ts'
import { creativeActs } from './creatives/acts.ts'
import { directOrderActs } from './direct-orders/acts.ts'
import { directoryActs } from './directory/acts.ts'
import { doctorActs } from './doctor/acts.ts'
import { formatActs } from './formats/acts.ts'
import { governanceActs } from './governance/acts.ts'
import { identityActs } from './identity/acts.ts'
import { jwtIssuerActs } from './jwt-issuers/acts.ts'
import { keyActs } from './keys/acts.ts'
import { makeGoodActs } from './make-goods/acts.ts'
import { notificationActs } from './notifications/acts.ts'
import { oauthActs } from './oauth/acts.ts'
import { orderActs } from './order-list/acts.ts'
import { peopleActs } from './people/acts.ts'
import { placementActs } from './placements/acts.ts'
import { privacyActs, sessionActs } from './privacy/acts.ts'
import { productActs } from './products/acts.ts'
import { registryActs } from './registry/acts.ts'
import { reportActs } from './reports/acts.ts'
import { rightsActs } from './rights/acts.ts'
import { checkActs } from './seller-checks/acts.ts'
import { signalActs } from './signals/acts.ts'
import { tenantActs } from './tenants/acts.ts'
import { matchActs } from './trusted-match/acts.ts'
import { userActs } from './users/acts.ts'
import { webhookActs } from './webhooks/acts.ts'

/** Every act of the publisher's people. The command line loads the list of an area alone. */
export const ACTS: readonly Act[] = [
  ...orderActs,
  ...approvalActs,
  ...creativeActs,
  ...accountActs,
  ...billingActs,
  ...reportActs,
  ...buyerActs,
  ...keyActs,
  ...adminKeyActs,
  ...userActs,
  ...certificateActs,
  ...jwtIssuerActs,
  ...oauthActs,
  ...peopleActs,
  ...notificationActs,
  ...tenantActs,
  ...changeActs,
  ...auditActs,
  ...checkActs,
  ...adagentsActs,
  ...webhookActs,
  ...privacyActs,
  ...sessionActs,
  ...matchActs,
  ...directoryActs,
  ...registryActs,
  ...productActs,
  ...placementActs,
  ...formatActs,
  ...signalActs,
  ...governanceActs,
  ...rightsActs,
  ...brandActs,
  ...directOrderActs,
  ...adoptedOrderActs,
  ...makeGoodActs,
  ...adServerActs,
  ...identityActs,
  ...doctorActs,
]
