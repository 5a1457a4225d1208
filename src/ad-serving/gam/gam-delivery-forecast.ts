import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { LineForecast } from '../backend.ts'
import type { GamClient } from './client.ts'
import { linesOfOrder } from './gam-lines.ts'
import { requireOrder } from './gam-orders.ts'
import { countOf, messageOf, messagesOf, nameOf, textOf } from './messages.ts'
import { gamLineState } from './observed-line.ts'

/** What the network expects of the lines of an order that are not over (`runDeliveryForecast`). Throws an outage when the order is not there. */
export async function forecastGamDelivery(client: GamClient, key: OrderKey): Promise<readonly LineForecast[]> {
  const order = await requireOrder(client, key)
  const lines = (await linesOfOrder(client, order.name)).filter((line) => gamLineState(line) !== 'ended')
  if (lines.length === 0) return []
  const body = { existingLineItems: { lineItems: lines.map(nameOf) }, deliveryForecastOptions: {} }
  const answer = await client.post(`${client.network}:runDeliveryForecast`, body, 'repeatable')
  const forecasts = messagesOf(messageOf(answer, 'deliveryForecastResult'), 'lineItemDeliveryForecasts')
  const byName = new Map(lines.map((line) => [nameOf(line), line]))
  return forecasts.flatMap((forecast): readonly LineForecast[] => {
    const line = byName.get(textOf(forecast, 'lineItem') ?? '')
    const lineExternalId = textOf(line, 'externalLineItemId')
    if (lineExternalId === undefined) return []
    return [
      {
        lineExternalId,
        unit: textOf(forecast, 'unitType') ?? '',
        goal: countOf(messageOf(line, 'goal'), 'units'),
        delivered: countOf(forecast, 'deliveredUnits'),
        predicted: countOf(forecast, 'predictedDeliveryUnits'),
      },
    ]
  })
}
