import { QUANTITIES, type Quantity } from './expectation.ts';

/** A figure for people, with its unit. */
export function figureText(value: number, name: Quantity): string {
  const unit = QUANTITIES[name];
  if (unit === 'time') return timeText(value);
  return unit === 'percent' ? `${digits(value)}%` : digits(value);
}

/** What a double makes of 0.1 + 0.2 is no news to anybody. */
function digits(value: number): string {
  return String(Number(value.toPrecision(12)));
}

function timeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.floor(seconds)}s`;
  if (minutes < 60) return `${minutes}min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}min`;
  return hours % 24 === 0 ? `${hours / 24}d` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}
