import type { OperatorContext } from '../operator-context.ts'
import { type DeliveryReport, type ReportQuery, reportOf, reportQuestion } from './delivery-report.ts'
import { readDelivery } from './read-delivery.ts'
import { type Revenue, revenueOf, revenueQuestions } from './revenue.ts'

/** Revenue and delivery of the same days. */
export interface ReportPage {
  readonly revenue: Revenue
  readonly report: DeliveryReport
}

/** What `showRevenue` and `deliveryReport` say of the same days, in one reading. Throws what they throw. */
export async function showReportPage(context: OperatorContext, query: ReportQuery): Promise<ReportPage> {
  const question = await reportQuestion(context, query)
  const asked = revenueQuestions(question)
  const answers = await readDelivery(context, { tenantId: query.tenantId }, [...asked, question])
  return { revenue: revenueOf(question, answers), report: reportOf(question, answers.at(-1) ?? []) }
}
