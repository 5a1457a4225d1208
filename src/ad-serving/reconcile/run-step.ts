import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { Step } from '../../domain/ad-serving/step.ts'
import type { AdServerBackend } from '../backend.ts'

/** Takes one step at an ad server. Throws what the ad server throws. */
export function runStep(backend: AdServerBackend, order: OrderKey, step: Step): Promise<void> {
  switch (step.kind) {
    case 'put_order':
      return backend.putOrder(order, step.settings)
    case 'set_order_state':
      return backend.setOrderState(order, step.state, step.duplicateId)
    case 'put_creative':
      return backend.putCreative(order, step.creative)
    case 'put_line':
      return backend.putLine(order, step.line, step.settings)
    case 'associate':
      return backend.associate(order, step.line, step.associations)
    case 'set_line_state':
      return backend.setLineState(order, step.line, step.state)
  }
}
