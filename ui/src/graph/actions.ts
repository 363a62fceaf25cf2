/** What can be done to a view from inside the drawing. */
import { createContext, useContext } from "react";

import type { ColumnsAsked } from "./column-pages";
import type { Side } from "./view-state";

export interface GraphActions {
  select: (id: string) => void;
  toggleSide: (id: string, side: Side) => void;
  toggleColumns: (id: string) => void;
  askColumns: (id: string, asked: ColumnsAsked) => void;
  choosePath: (dataset: string, field: string) => void;
  openGroup: (id: string) => void;
  /** Draw one node of a fan by itself, and select it. */
  unfold: (id: string) => void;
  /** Select a node and bring it into view. */
  reveal: (id: string) => void;
  open: (id: string) => void;
}

const Actions = createContext<GraphActions | undefined>(undefined);

export const ActionsProvider = Actions.Provider;

export function useActions(): GraphActions {
  const actions = useContext(Actions);
  if (!actions) throw new Error("no actions around this node");
  return actions;
}
