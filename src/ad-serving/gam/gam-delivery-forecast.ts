import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'
import type { LineForecast } from '../backend.ts'
import { requireOrder } from './find-order.ts'
import { linesOfOrder, ourLines } from './gam-lines.ts'
import type { GamParts } from './gam-parts.ts'
import { countOf, messageOf, messagesOf, nameOf, textOf } from './messages.ts'
import { gamLineState } from './observed-line.ts'

/** What the network expects of the lines of an order that are not over (`runDeliveryForecast`). Throws an outage when the order is not there. */
export async function forecastGamDelivery(parts: GamParts, key: OrderKey): Promise<readonly LineForecast[]> {
  const { client } = parts
  const order = await requireOrder(parts, key)
  const ours = await ourLines(parts, key, order, await linesOfOrder(client, order.name))
  const byName = new Map(
    [...ours].flatMap(([externalId, { message }]) =>
      gamLineState(message) === 'ended' ? [] : [[nameOf(message), { externalId, message }] as const],
    ),
  )
  if (byName.size === 0) return []
  const body = { existingLineItems: { lineItems: [...byName.keys()] }, deliveryForecastOptions: {} }
  const answer = await client.post(`${client.network}:runDeliveryForecast`, body, 'repeatable')
  const forecasts = messagesOf(messageOf(answer, 'deliveryForecastResult'), 'lineItemDeliveryForecasts')
  return forecasts.flatMap((forecast): readonly LineForecast[] => {
    const line = byName.get(textOf(forecast, 'lineItem') ?? '')
    if (!line) return []
    return [
      {
        lineExternalId: line.externalId,
        unit: textOf(forecast, 'unitType') ?? '',
        goal: countOf(messageOf(line.message, 'goal'), 'units'),
        delivered: countOf(forecast, 'deliveredUnits'),
        predicted: countOf(forecast, 'predictedDeliveryUnits'),
      },
    ]
  })
}
