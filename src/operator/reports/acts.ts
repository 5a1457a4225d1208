import type { Act } from '../act.ts'
import { deliveryReport } from './delivery-report.ts'
import { rebuildDelivery } from './rebuild-delivery.ts'
import { showReportPage } from './report-page.ts'
import { listReportStatements } from './report-statements.ts'
import { showRevenue } from './revenue.ts'
import { forgetReport, listSaved, openReport, saveReport } from './saved-reports.ts'
import { listReportRecipients, listReportSchedules, scheduleReport, unscheduleReport } from './schedule-reports.ts'
import { settleStatement } from './settle-statement.ts'

/** What was delivered, in the order of the help. */
export const deliveryActs: readonly Act[] = [deliveryReport, rebuildDelivery]

/** What is done with reports that have a name. */
export const savedReportActs: readonly Act[] = [
  ...[listSaved, openReport, saveReport, forgetReport],
  ...[listReportSchedules, scheduleReport, unscheduleReport, listReportRecipients],
]

/** What buyers say of the reports that they get. */
export const statementActs: readonly Act[] = [listReportStatements, settleStatement]

/** What was delivered and earned. */
export const reportActs: readonly Act[] = [...deliveryActs, showRevenue, showReportPage, ...savedReportActs, ...statementActs]
