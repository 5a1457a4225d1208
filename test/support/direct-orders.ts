import {
  changeDirectOrder as change,
  listDirectOrders as list,
  showDirectOrder as show,
} from '../../src/operator/direct-orders/direct-orders.ts'
import { enterDirectOrder as enter, previewDirectOrder as preview } from '../../src/operator/direct-orders/enter-direct-order.ts'
import type { ImportFile } from '../../src/operator/imports/import-document.ts'
import { ChosenFile } from '../../src/operator/imports/import-fields.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { performAs } from './operator.ts'

const entered = (file: ImportFile, revision?: number) => ({
  file: new ChosenFile(file),
  ...(revision !== undefined && { revision }),
})

/** Acts on direct orders, as an administrator of a publisher. */
export const enterDirectOrder = (operator: OperatorContext, tenantId: string, file: ImportFile, revision?: number) =>
  performAs(operator, tenantId, enter, entered(file, revision))
export const previewDirectOrder = (operator: OperatorContext, tenantId: string, file: ImportFile, revision?: number) =>
  performAs(operator, tenantId, preview, entered(file, revision))
export const changeDirectOrder = (operator: OperatorContext, tenantId: string, order: string, state: string) =>
  performAs(operator, tenantId, change, { order, state })
export const showDirectOrder = (operator: OperatorContext, tenantId: string, order: string) =>
  performAs(operator, tenantId, show, { order })
export const listDirectOrders = (operator: OperatorContext, tenantId: string) => performAs(operator, tenantId, list, {})
