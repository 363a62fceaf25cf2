package io.headwater.connect.column;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** What is at a path of a record: a column, or a part whose columns are not known, if it is open. */
final class StateColumn {
    static final StateColumn ABSENT = new StateColumn(List.of(), false, true);
    static final StateColumn NEW = new StateColumn(List.of(), false, false);

    final List<ColumnOrigin> origins;
    final boolean isOpen;
    final boolean isAbsent;

    private StateColumn(List<ColumnOrigin> origins, boolean isOpen, boolean isAbsent) {
        this.origins = origins;
        this.isOpen = isOpen;
        this.isAbsent = isAbsent;
    }

    static StateColumn of(List<ColumnOrigin> origins, boolean isOpen) {
        return new StateColumn(origins, isOpen, false);
    }

    StateColumn changed(boolean isMasked) {
        return each(origin -> origin.then(true, isMasked));
    }

    StateColumn below(List<String> rest) {
        return rest.isEmpty() ? this : each(origin -> origin.below(rest));
    }

    private StateColumn each(UnaryOperator<ColumnOrigin> change) {
        List<ColumnOrigin> found = new ArrayList<>();
        origins.forEach(origin -> found.add(change.apply(origin)));
        return new StateColumn(found, isOpen, isAbsent);
    }
}
