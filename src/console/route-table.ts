import type { ConsoleParts } from './console-parts.ts'
import { accountRoutes } from './pages/account.ts'
import { accrualRoutes } from './pages/accruals.ts'
import { activityRoutes } from './pages/activity.ts'
import { adoptedOrderRoutes } from './pages/adopted-orders.ts'
import { ageingRoutes } from './pages/ageing.ts'
import { billingRoutes } from './pages/billing.ts'
import { billingDetailRoutes } from './pages/billing-details.ts'
import { buyerAccountRoutes } from './pages/buyer-accounts.ts'
import { buyerRoutes } from './pages/buyers.ts'
import { callRoutes } from './pages/calls.ts'
import { chargeRoutes } from './pages/charges.ts'
import { checkRoutes } from './pages/checks.ts'
import { connectNetworkRoutes } from './pages/connect-network.ts'
import { connectionRoutes } from './pages/connections.ts'
import { creativeFileRoutes } from './pages/creative-files.ts'
import { creativeRoutes } from './pages/creatives.ts'
import { decisionLinkRoutes } from './pages/decision-link.ts'
import { decisionRoutes } from './pages/decisions.ts'
import { directOrderRoutes } from './pages/direct-orders.ts'
import { directoryRoutes } from './pages/directory.ts'
import { erasureRoutes } from './pages/erasure.ts'
import { homeRoutes } from './pages/home.ts'
import { inboxRoutes } from './pages/inbox.ts'
import { inboxDecisionRoutes } from './pages/inbox-decisions.ts'
import { invoiceRoutes } from './pages/invoice.ts'
import { journalRoutes } from './pages/journal.ts'
import { liveRoutes } from './pages/live.ts'
import { makeGoodRoutes } from './pages/make-goods.ts'
import { notificationRoutes } from './pages/notifications.ts'
import { orderRoutes } from './pages/order.ts'
import { orderTermsRoutes } from './pages/order-terms.ts'
import { orderListRoutes } from './pages/orders.ts'
import { ownFactorRoutes } from './pages/own-factors.ts'
import { peopleRoutes } from './pages/people.ts'
import { placementEditRoutes } from './pages/placement-edit.ts'
import { placementRoutes } from './pages/placements.ts'
import { productChangeRoutes } from './pages/product-changes.ts'
import { productDraftRoutes } from './pages/product-drafts.ts'
import { productFormRoutes } from './pages/product-form.ts'
import { productHistoryRoutes } from './pages/product-history.ts'
import { productImportRoutes } from './pages/product-import.ts'
import { productRoutes } from './pages/products.ts'
import { refundRoutes } from './pages/refunds.ts'
import { reportRoutes } from './pages/reports.ts'
import { seenProductRoutes } from './pages/seen-products.ts'
import { settingsRoutes } from './pages/settings.ts'
import { signInRoutes } from './pages/sign-in.ts'
import { trustedMatchRoutes } from './pages/trusted-match.ts'
import { webhookRoutes } from './pages/webhooks.ts'
import type { ConsoleRoute } from './route.ts'

/** Every page and act of the console with who may use it. A test asks each of them as every role. */
export function routeTable(
  parts: Pick<ConsoleParts, 'guard' | 'refusedSignIn' | 'signInProvider' | 'dataVersion' | 'askAs' | 'watchedCalls'>,
): readonly ConsoleRoute[] {
  return [
    ...signInRoutes(parts),
    ...accountRoutes(parts),
    ...ownFactorRoutes,
    ...homeRoutes,
    ...inboxRoutes,
    ...decisionRoutes,
    ...decisionLinkRoutes,
    ...inboxDecisionRoutes,
    ...orderListRoutes,
    ...orderRoutes,
    ...orderTermsRoutes,
    ...makeGoodRoutes,
    ...directOrderRoutes,
    ...adoptedOrderRoutes,
    ...creativeFileRoutes,
    ...creativeRoutes,
    ...placementEditRoutes,
    ...placementRoutes,
    ...productImportRoutes,
    ...seenProductRoutes(parts),
    ...productFormRoutes,
    ...productHistoryRoutes,
    ...productRoutes,
    ...productChangeRoutes,
    ...buyerRoutes,
    ...buyerAccountRoutes,
    ...callRoutes(parts),
    ...connectionRoutes,
    ...reportRoutes,
    ...billingRoutes,
    ...billingDetailRoutes,
    ...chargeRoutes,
    ...refundRoutes,
    ...ageingRoutes,
    ...accrualRoutes,
    ...journalRoutes,
    ...invoiceRoutes,
    ...activityRoutes,
    ...webhookRoutes,
    ...checkRoutes,
    ...trustedMatchRoutes,
    ...directoryRoutes,
    ...peopleRoutes,
    ...settingsRoutes,
    ...connectNetworkRoutes,
    ...productDraftRoutes,
    ...erasureRoutes,
    ...notificationRoutes,
    ...liveRoutes(parts),
  ]
}
