import type { Act } from '../act.ts'
import { showAccruals } from './accruals.ts'
import { showAgeing } from './ageing.ts'
import { addCharge, showCharges, takeChargeBack } from './charges.ts'
import { closeMonth } from './close-month.ts'
import { creditInvoice } from './credit-invoice.ts'
import { invoiceFile } from './invoice-file.ts'
import { recordPayment, takeBackPayment } from './invoice-payments.ts'
import { setInvoicing, showInvoicing } from './invoicing-details.ts'
import { readJournal } from './journal.ts'
import { listAdjustments } from './pending-adjustments.ts'
import { previewLines } from './preview-lines.ts'
import { previewMonth } from './preview-month.ts'
import { reconcileReports } from './reconcile-reports.ts'
import { reconciliationFile } from './reconciliation-file.ts'
import { recordRefund, showRefunds, takeBackRefund } from './refunds.ts'
import { listInvoices, showInvoice } from './show-invoices.ts'

/** Month close and its invoices, in the order of the help. */
export const billingActs: readonly Act[] = [
  previewMonth,
  previewLines,
  closeMonth,
  listInvoices,
  showInvoice,
  invoiceFile,
  recordPayment,
  takeBackPayment,
  showRefunds,
  recordRefund,
  takeBackRefund,
  showAgeing,
  showAccruals,
  readJournal,
  creditInvoice,
  listAdjustments,
  reconcileReports,
  reconciliationFile,
  showCharges,
  addCharge,
  takeChargeBack,
  showInvoicing,
  setInvoicing,
]
